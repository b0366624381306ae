import { statSync } from 'node:fs';

import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

import { sharedTestOptions } from './vitest.config.ts';

/** Begins with the shortest files: they run suites that others share, at length, and the longest of them takes ten minutes. */
class ShortestFilesFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
    return Promise.resolve(files.toSorted((one, other) => sizeOf(one) - sizeOf(other)));
  }
}

/** The suites that are too long for `npm test`: cluster faults, rolling deploys, scale. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    sequence: { sequencer: ShortestFilesFirst },
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
