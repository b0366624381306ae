import { defineConfig } from 'vite';

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // What the page loads is under a policy that admits no inline script, which this would be.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
});
