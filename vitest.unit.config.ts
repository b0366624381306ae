import { defineConfig } from 'vitest/config';

import { sharedTestOptions } from './vitest.config.ts';

/** What `npm run check` runs: the tests beside the sources, and those of what has to keep up with declarations. None needs a store. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    include: [
      'packages/*/src/**/*.test.ts',
      'services/*/src/**/*.test.ts',
      'tests/docs/{checklist,citations,documentation,openapi,recorded-calls}.test.ts',
      'tests/privacy/plans.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/*.slow.test.ts', '**/*.integration.test.ts'],
  },
});
