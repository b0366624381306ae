import { defineConfig } from 'vitest/config';
import type { ViteUserConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

import { waitMaxMs } from './packages/test-kit/src/wait-until.ts';

/** All test files of some endings. */
export function filesNamed(...endings: readonly string[]): string[] {
  return endings.flatMap((ending) =>
    ['packages', 'services', 'tests'].map((folder) => `${folder}/**/*${ending}`),
  );
}

/**
 * The one rule by which a test file belongs to a tier: its name.
 *
 * - `NAME.test.ts` in a `src` folder needs nothing but itself: `npm run check`, and `npm test`.
 * - Every other `NAME.test.ts` runs in one process against real stores: `npm test`. Those in `withoutStores` need none, and hold documents
 *   and lists to declarations: `npm run check` as well.
 * - `NAME.slow.test.ts` needs processes of its own, a browser, or clients and servers of others, or takes a minute: `npm run test:slow`.
 * - `NAME.release.test.ts` takes long because of its size, or measures: `npm run test:release`.
 */
export const tiers = {
  withoutStores: [
    '{packages,services}/*/src/**/!(*.integration).test.ts',
    'tests/docs/{checklist,citations,documentation,openapi,recorded-calls,whole-features}.test.ts',
    'tests/mutants/mutants.test.ts',
    'tests/privacy/plans.test.ts',
    'tests/support/altered-sources.test.ts',
  ],
  everyday: filesNamed('.test.ts'),
  slow: filesNamed('.slow.test.ts'),
  release: filesNamed('.release.test.ts'),
};

/** What the tiers of every day leave out. */
export const longer = ['**/node_modules/**', ...tiers.slow, ...tiers.release];

/** What takes minutes. */
const longFiles = /\/tests\/(?:chaos|hostile|privacy)\//;

/** Begins with what takes long, so that at the end short files fill all workers: those beside the sources. */
function rankOf({ moduleId }: TestSpecification): number {
  if (longFiles.test(moduleId)) return 0;
  return moduleId.includes('/src/') ? 2 : 1;
}

/** The order of a run, the same on every machine and whatever an earlier run took: by rank, then by path. */
class FixedOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(
      files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.moduleId < b.moduleId ? -1 : 1)),
    );
  }
}

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
  sequence: { sequencer: FixedOrder },
  globalSetup: ['packages/test-kit/src/test-run-setup.ts'],
  // Nothing of these is reached by a test that passes, unless the machine is slow or busy.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  teardownTimeout: 30_000,
  expect: { poll: { timeout: waitMaxMs } },
  setupFiles: ['tests/support/fixed-seed.ts'],
} satisfies ViteUserConfig['test'];

export const storesSetup = [
  ...sharedTestOptions.globalSetup,
  'packages/test-kit/src/global-setup.ts',
];

/** `npm test`. */
export default defineConfig({
  test: {
    ...sharedTestOptions,
    globalSetup: storesSetup,
    include: tiers.everyday,
    exclude: longer,
  },
});
