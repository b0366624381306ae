import { expect, test } from 'vitest';

import { faultKinds, planFaults } from './fault-schedule.ts';

const twoMinutesMs = 120_000;

test('a seed produces the same faults again, and another seed others', () => {
  expect(planFaults(7, twoMinutesMs)).toEqual(planFaults(7, twoMinutesMs));
  expect(planFaults(8, twoMinutesMs)).not.toEqual(planFaults(7, twoMinutesMs));
});

test('ten seeds of two minutes have twenty faults of each kind, and ninety seconds have each', () => {
  const counts = new Map<string, number>();
  for (let seed = 1; seed <= 10; seed += 1)
    for (const { kind } of planFaults(seed, twoMinutesMs))
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
  expect(new Set(counts.keys())).toEqual(new Set(faultKinds));
  expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(20);
  expect(new Set(planFaults(1, 90_000).map(({ kind }) => kind))).toEqual(new Set(faultKinds));
});

test('faults are in order and within the traffic, and pauses outlast a lease', () => {
  const faults = planFaults(3, twoMinutesMs);
  expect(faults.map(({ atMs }) => atMs)).toEqual(
    faults.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
  );
  expect(Math.max(...faults.map(({ atMs }) => atMs))).toBeLessThan(twoMinutesMs);
  for (const { kind, durationMs } of faults)
    if (kind.startsWith('pause-')) expect(durationMs).toBeGreaterThan(4_000);
});
