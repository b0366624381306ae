import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/**
 * What every test run shares: the tests are run by Node itself (its own type stripping and its
 * own module loader), exactly as the services are, so nothing passes here that would not start.
 */
export const sharedTestOptions = {
  pool: 'forks',
  // Files share their worker's process: loading all modules anew for each took as long as the tests. What a file needs to itself it starts.
  isolate: false,
  // One more than the cores of a small machine, since tests wait for stores and for other processes. A fourth gains little, and delays others
  // beyond the limits that the services set to their stores.
  maxWorkers: 3,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Nothing of these is reached by a test that passes, unless the machine is slow or busy.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  teardownTimeout: 30_000,
  // As `waitUntil`.
  expect: { poll: { timeout: 60_000 } },
} as const;

const isBesideSource = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/src/');

/** Begins with what runs against stores, which takes longest: at the end the short files beside the sources fill all workers. */
class StoresFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve([
      ...files.filter((file) => !isBesideSource(file)),
      ...files.filter(isBesideSource),
    ]);
  }
}

export default defineConfig({
  test: {
    ...sharedTestOptions,
    sequence: { sequencer: StoresFirst },
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    include: ['packages/**/*.test.ts', 'services/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.slow.test.ts', 'tests/compose/**'],
  },
});
