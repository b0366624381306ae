/**
 * `build-server.ts [FOLDER]`: builds what services and the command are started from, for `dist` in the repository.
 *
 * These are few files, in place of two thousand that each process would have to find, read and strip of types before it runs.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

import { serviceNames } from '@parley/config';
import { build } from 'rolldown';
import type { Plugin } from 'rolldown';

const root = join(import.meta.dirname, '..', '..', '..');
const [folder = join(root, 'dist')] = process.argv.slice(2);

/** Images do without these. */
const leftOutOfImages = {
  launcher: join(root, 'packages/launcher/src/main.ts'),
  // The tests load it into gateways.
  'answer-watch': join(root, 'packages/test-kit/src/answer-watch.ts'),
};

/** How a file of the repository is named from the folder of what is built. */
function fromBuilt(path: string): string {
  return ['..', ...relative(root, path).split(sep)].join('/');
}

/** The code of a thread or process. */
const ownEntry = /new URL\('(?:\.\/)?([\w-]+\.ts)', import\.meta\.url\)/g;

/** Builds the code of threads and processes too, and lets modules find other files where they are beside their sources. */
const placesOfSources: Plugin = {
  name: 'places-of-sources',
  transform: {
    filter: { id: /\/(?:packages|services)\/[\w-]+\/src\//, code: 'import.meta.url' },
    handler(text, id) {
      const withEntries = text.replaceAll(ownEntry, (_, name: string) => {
        const entry = this.emitFile({ type: 'chunk', id: join(dirname(id), name) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${entry})`;
      });
      const source = `new URL(${JSON.stringify(fromBuilt(id))}, import.meta.url).href`;
      // No line moves.
      return { code: withEntries.replaceAll('import.meta.url', source), map: null };
    },
  },
};

await build({
  input: {
    parley: join(root, 'packages/command/src/main.ts'),
    seed: join(root, 'packages/demo/src/seed-main.ts'),
    ...Object.fromEntries(Object.entries(leftOutOfImages).filter(([, path]) => existsSync(path))),
    ...Object.fromEntries(
      serviceNames.map((service) => [service, join(root, `services/${service}/src/main.ts`)]),
    ),
  },
  platform: 'node',
  external: [
    // It has a program for each kind of machine.
    /\/node_modules\/sharp\//,
    // Of Knex and pg, for other databases.
    /^(?:better-sqlite3|mariadb\/callback|mysql2?|oracledb|pg-query-stream|sqlite3|tedious)$/,
  ],
  transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } },
  plugins: [placesOfSources],
  // No source maps: Node's support for them costs a start more than all else, and the output says from which source each part is.
  output: {
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Each process keeps the text of what it loads, and one character beyond Latin-1 doubles the memory of a file.
    charset: 'ascii',
    comments: { legal: true, annotation: false, jsdoc: false },
    paths: (id) => (isAbsolute(id) ? fromBuilt(id) : id),
  },
});
