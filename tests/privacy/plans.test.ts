import { expect, test } from 'vitest';

import { endpointNames } from './endpoint-names.ts';
import { plans } from './plans.ts';

// The requests themselves take minutes (`privacy.slow.test.ts`), but missing plans are reported here at once.
test('every endpoint has a plan', () => {
  expect(Object.keys(plans).toSorted()).toEqual(endpointNames.toSorted());
});
