import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/** Where the source of the service worker expects the list of files to keep, and the name of this version. */
const filesPlaceholder = '__PARLEY_FILES__';
const versionPlaceholder = '__PARLEY_VERSION__';

/**
 * Tells the service worker which files the build has and names this version by them. So `sw.js` differs exactly when the client does, and
 * browsers take over a new one.
 */
export function workerFiles(): Plugin {
  return {
    name: 'parley-worker-files',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const outputs = Object.values(bundle);
        const page = outputs.find(({ fileName }) => fileName === 'index.html');
        const worker = outputs.find(({ fileName }) => fileName === 'sw.js');
        if (page?.type !== 'asset' || worker?.type !== 'chunk')
          return this.error('the build has no page or no service worker');
        const files = outputs
          .map(({ fileName }) => fileName)
          .filter((name) => name.startsWith('assets/'))
          .toSorted();
        // Names of assets contain hashes of their contents; the page and the worker have fixed names.
        const version = createHash('sha256')
          .update([page.source.toString(), worker.code, ...files].join('\n'))
          .digest('hex')
          .slice(0, 12);
        worker.code = worker.code
          .replace(filesPlaceholder, files.map((name) => `/${name}`).join(' '))
          .replace(versionPlaceholder, version);
      },
    },
  };
}
