import fc from 'fast-check';
import { expect, test } from 'vitest';

import { Latencies } from './latencies.ts';
import { describeLatencies, findMedian, roundFigure, summarizeSamples } from './summary.ts';

test('as many values lie below the median as above', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const median = findMedian(values);
      const below = values.filter((value) => value < median).length;
      const above = values.filter((value) => value > median).length;
      expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
    }),
  );
});

test('no values have no median', () => {
  expect(() => findMedian([])).toThrow('no values');
});

test('a figure of some runs is summarized over those', () => {
  expect(summarizeSamples([{ a: 1, b: 5 }, { a: 3 }, { a: 2 }])).toEqual({
    a: { median: 2, min: 1, max: 3 },
    b: { median: 5, min: 5, max: 5 },
  });
});

test('latencies of another process are equal after transfer, to three digits', () => {
  const latencies = new Latencies();
  for (let ms = 1; ms <= 1_000; ms += 1) latencies.record(ms);
  const all = new Latencies();
  all.add(Latencies.decode(latencies.encode()));
  const described = describeLatencies('send', all);
  for (const [name, ms] of Object.entries(describeLatencies('send', latencies)))
    expect(Math.abs((described[name] ?? 0) / ms - 1)).toBeLessThan(0.001);
  expect(described['send_p50_ms']).toBeCloseTo(500, -1);
});

test('no recorded values have no description', () => {
  expect(describeLatencies('send', new Latencies())).toEqual({});
});

test('figures have three digits', () => {
  expect([0.012_345, 1.234_5, 123.45, 12_345.6, 0].map(roundFigure)).toEqual([
    0.0123, 1.23, 123, 12_346, 0,
  ]);
});
