/**
 * The runs of property tests that name no number of their own. Random tests try the same on every machine and in every run, except before a
 * release.
 */
import fc from 'fast-check';

import { commonSeed } from './seeds.ts';

fc.configureGlobal({
  numRuns: Number(process.env['PARLEY_PROPERTY_RUNS'] ?? 100),
  ...(commonSeed === undefined ? {} : { seed: commonSeed }),
});
