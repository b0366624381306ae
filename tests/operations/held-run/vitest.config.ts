import { defineConfig } from 'vitest/config';

import { sharedTestOptions, storesSetup } from '../../../vitest.config.ts';

/** A run of one test that does not end by itself. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    globalSetup: storesSetup,
    testTimeout: 0,
    include: ['tests/operations/held-run/held.ts'],
  },
});
