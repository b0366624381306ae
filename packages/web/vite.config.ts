import { defineConfig } from 'vite';

import { compressedFiles } from './build/compressed-files.ts';
import { emojiCatalogue } from './build/emoji-catalogue.ts';
import { fileOfFirstScreen, firstScreenBudget } from './build/first-screen.ts';
import { workerFiles } from './build/worker-files.ts';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [emojiCatalogue(), workerFiles(), firstScreenBudget(), compressedFiles()],
  build: {
    target: 'es2023',
    // What the page loads is under a policy that admits no inline script, which this would be.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Said by the budget of the first screen.
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: 'index.html', 'service-worker': 'src/service-worker.ts' },
      output: {
        // A browser asks for the service worker at one address, so its name has no hash.
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? 'sw.js' : 'assets/[name]-[hash].js',
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: fileOfFirstScreen, debugName: 'page', test: '/packages/web/src/' }],
        },
      },
    },
  },
});
