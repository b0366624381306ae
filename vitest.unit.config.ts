import { defineConfig } from 'vitest/config';

import { sharedTestOptions } from './vitest.config.ts';

/** The tests beside the sources, which need no store: what `npm run check` runs. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    include: ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.slow.test.ts', '**/*.integration.test.ts'],
  },
});
