import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Most bytes of compressed JavaScript that a browser loads before it shows something. */
const firstScreenMaxBytes = 62_000;

type Chunk = { readonly code: string; readonly imports: readonly string[] };

type ModuleGraph = {
  readonly getModuleInfo: (id: string) => {
    readonly isEntry: boolean;
    readonly importers: readonly string[];
  } | null;
};

/** The entries that import a module at once, directly or not. */
function entriesOf(id: string, graph: ModuleGraph): ReadonlySet<string> {
  const seen = new Set([id]);
  const entries = new Set<string>();
  for (const each of seen) {
    const { isEntry = false, importers = [] } = graph.getModuleInfo(each) ?? {};
    if (isEntry) entries.add(each);
    for (const importer of importers) seen.add(importer);
  }
  return entries;
}

/**
 * The name of the file for a module of the client that the first screen needs: one for all, which compress better together, but for those that the service worker
 * imports too, which has no page.
 */
export function fileOfFirstScreen(id: string, graph: ModuleGraph): string | undefined {
  const [entry, ...others] = entriesOf(id, graph);
  return entry?.endsWith('index.html') === true && others.length === 0 ? 'page' : undefined;
}

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
