import { defineConfig } from 'vitest/config';

import { sharedTestOptions } from './vitest.config.ts';

/** The suites that are too long for `npm test`: cluster faults, rolling deploys, scale. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    // Where the time is bounded, no file is always among those for which it was too short.
    sequence: { shuffle: { files: true, tests: false } },
    runner: './tests/support/bounded-runner.ts',
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    // These suites start whole clusters of processes and wait for most of their time: two at a time are what two cores carry.
    maxWorkers: 2,
    testTimeout: 300_000,
    include: [
      'packages/**/*.slow.test.ts',
      'services/**/*.slow.test.ts',
      'tests/**/*.slow.test.ts',
    ],
    exclude: ['**/node_modules/**', 'tests/compose/**'],
  },
});
