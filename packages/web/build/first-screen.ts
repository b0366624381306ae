import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Most bytes of compressed JavaScript that a browser loads before it shows something. */
const firstScreenMaxBytes = 62_000;

type Chunk = { readonly code: string; readonly imports: readonly string[] };

/** Fails the build when its first screen (the page's script, and what that imports at once) has become too large. */
export function firstScreenBudget(): Plugin {
  return {
    name: 'parley-first-screen-budget',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = new Map<string, Chunk>();
        const waiting: string[] = [];
        for (const output of Object.values(bundle)) {
          if (output.type !== 'chunk') continue;
          chunks.set(output.fileName, output);
          if (output.isEntry && output.name === 'index') waiting.push(output.fileName);
        }
        const loaded = new Set<string>();
        let bytes = 0;
        for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
          const chunk = chunks.get(name);
          if (chunk === undefined || loaded.has(name)) continue;
          loaded.add(name);
          bytes += gzipSync(chunk.code).length;
          waiting.push(...chunk.imports);
        }
        if (loaded.size === 0) this.error('the build has no script of the page');
        this.info(`first screen: ${bytes} bytes of JavaScript, compressed by gzip`);
        if (bytes > firstScreenMaxBytes)
          this.error(
            `The first screen needs ${bytes} bytes of compressed JavaScript; at most ${firstScreenMaxBytes} are allowed. ` +
              'Import what is not shown at once when it is needed: `await import(...)`.',
          );
      },
    },
  };
}
