import type { Latencies } from './latencies.ts';

/** The result of one run of a case: figures whose names end with their unit. */
export type Sample = Readonly<Record<string, number>>;

/** A figure over all runs of a case. */
export type Spread = {
  readonly median: number;
  readonly min: number;
  readonly max: number;
};

const percentiles = [50, 90, 99, 99.9] as const;
/** @throws Error for no values */
export function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error('no values have no median');
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** @returns for each figure that any run has, its median and spread over the runs that have it */
export function summarizeSamples(samples: readonly Sample[]): Readonly<Record<string, Spread>> {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  return Object.fromEntries(
    names.map((name) => {
      const values = samples.flatMap((sample) => sample[name] ?? []);
      return [
        name,
        { median: findMedian(values), min: Math.min(...values), max: Math.max(...values) },
      ];
    }),
  );
}

/** @param name of the latencies: `send` gives `send_p50_ms` and so on; none if nothing was recorded */
export function describeLatencies(name: string, latencies: Latencies): Sample {
  if (latencies.count === 0) return {};
  return Object.fromEntries([
    ...percentiles.map((percentile) => [`${name}_p${percentile}_ms`, latencies.at(percentile)]),
    [`${name}_max_ms`, latencies.maxMs],
  ]) as Sample;
}

/** Three significant digits, which is the most that a measurement justifies; whole numbers from a thousand on. */
export function roundFigure(value: number): number {
  return Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
}
