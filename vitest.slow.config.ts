import { defineConfig } from 'vitest/config';

import { sharedTestOptions } from './vitest.config.ts';

/** The suites that are too long for `npm test`: cluster faults, rolling deploys, scale. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    // These suites start whole clusters of processes and wait for most of their time: two at a time are what two cores carry.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    include: [
      'packages/**/*.slow.test.ts',
      'services/**/*.slow.test.ts',
      'tests/**/*.slow.test.ts',
    ],
    exclude: ['**/node_modules/**', 'tests/compose/**'],
  },
});
