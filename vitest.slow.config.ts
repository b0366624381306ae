import { defineConfig } from 'vitest/config';

import { sharedTestOptions, storesSetup, tiers } from './vitest.config.ts';

/** `npm run test:slow`. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    globalSetup: storesSetup,
    // These suites start whole clusters of processes and wait for most of their time: three at a time are what two cores carry.
    maxWorkers: 3,
    testTimeout: 600_000,
    include: tiers.slow,
  },
});
