import { defineConfig } from 'vitest/config';

import { sharedTestOptions, storesSetup, tiers } from './vitest.config.ts';

/** `npm run test:release`. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    globalSetup: storesSetup,
    // What measures is alone on the machine.
    maxWorkers: 1,
    testTimeout: 1_800_000,
    include: tiers.release,
  },
});
