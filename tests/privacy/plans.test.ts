import { expect, test } from 'vitest';

import { endpointNames } from './endpoint-names.ts';
import { plans } from './plans.ts';

// The questions themselves take minutes (`privacy.slow.test.ts`); that some are forgotten is told at once.
test('every endpoint has a plan', () => {
  expect(Object.keys(plans).toSorted()).toEqual(endpointNames.toSorted());
});
