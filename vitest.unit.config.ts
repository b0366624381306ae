import { defineConfig } from 'vitest/config';

import { longer, sharedTestOptions, tiers } from './vitest.config.ts';

/** The tests of `npm run check`. */
export default defineConfig({
  test: { ...sharedTestOptions, include: tiers.withoutStores, exclude: longer },
});
