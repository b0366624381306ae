import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** PNG is compressed already. */
const compressible = /\.(?:js|css|html|svg|webmanifest|json)$/;

/**
 * Writes `FILE.br` and `FILE.gz` beside each file of the build where that is smaller. Servers give them as they are. The same sources give the
 * same bytes: neither form contains a time.
 */
export function compressedFiles(): Plugin {
  return {
    name: 'parley-compressed-files',
    apply: 'build',
    writeBundle({ dir }) {
      if (dir === undefined) throw new Error('the build has no folder');
      const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        if (!entry.isFile() || !compressible.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const bytes = readFileSync(path);
        const forms = {
          br: brotliCompressSync(bytes, {
            params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
          }),
          gz: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
        };
        for (const [extension, compressed] of Object.entries(forms))
          if (compressed.length < bytes.length) writeFileSync(`${path}.${extension}`, compressed);
      }
    },
  };
}
