import { defineConfig } from 'vitest/config';

import { sharedTestOptions } from '../../../vitest.config.ts';

/** A run with one file that passes, one that fails, and one that fails once. */
export default defineConfig({
  test: { ...sharedTestOptions, include: ['tests/operations/repeated-run/*-file.ts'] },
});
