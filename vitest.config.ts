import { defineConfig } from 'vitest/config';

/**
 * What every test run shares: the tests are run by Node itself (its own type stripping and its
 * own module loader), exactly as the services are, so nothing passes here that would not start.
 */
export const sharedTestOptions = {
  pool: 'forks',
  maxWorkers: 2,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  testTimeout: 30_000,
  hookTimeout: 60_000,
  teardownTimeout: 20_000,
} as const;

export default defineConfig({
  test: {
    ...sharedTestOptions,
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    include: ['packages/**/*.test.ts', 'services/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.slow.test.ts', 'tests/compose/**'],
  },
});
