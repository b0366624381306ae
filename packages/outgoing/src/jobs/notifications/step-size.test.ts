import { expect, test } from 'vitest';

import { StepSize } from './step-size.ts';

test('a step fits the duration of the last one, grows slowly and shrinks at once', () => {
  const step = new StepSize({ least: 50, most: 2_000, fittingMs: 200 });
  const sizes = [
    [50, 1],
    [100, 5],
    [200, 400],
    [100, 0],
    [150, 10],
  ].map(([done = 0, tookMs = 0]) => {
    step.fit(done, tookMs);
    return step.size;
  });
  expect(sizes).toEqual([100, 200, 100, 200, 400]);
  step.fit(400, 4_000);
  expect(step.size).toBe(50);
  for (let n = 0; n < 9; n += 1) step.fit(step.size, 1);
  expect(step.size).toBe(2_000);
  step.shrink();
  expect(step.size).toBe(1_000);
});
