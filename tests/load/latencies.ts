import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Histogram } from 'hdr-histogram-js';

const percentiles = [50, 90, 99, 99.9] as const;
// Latencies are recorded in whole microseconds up to two minutes.
const highestUs = 120_000_000;

/** Percentiles of one kind of latency, in milliseconds. */
export type LatencySummary = { readonly count: number } & Readonly<Record<string, number>>;

/** A histogram of latencies with three significant digits. */
export class Latencies {
  readonly #histogram: Histogram;

  constructor(
    histogram: Histogram = build({
      lowestDiscernibleValue: 1,
      highestTrackableValue: highestUs,
      numberOfSignificantValueDigits: 3,
    }),
  ) {
    this.#histogram = histogram;
  }

  /** @param text from `encode`, in another process */
  static decode(text: string): Latencies {
    return new Latencies(decodeFromCompressedBase64(text));
  }

  get count(): number {
    return this.#histogram.totalCount;
  }

  encode(): string {
    return encodeIntoCompressedBase64(this.#histogram);
  }

  add(others: Latencies): void {
    this.#histogram.add(others.#histogram);
  }

  /** @returns the milliseconds that this percentage of latencies does not exceed */
  at(percentile: number): number {
    return this.#histogram.getValueAtPercentile(percentile) / 1_000;
  }

  /** @returns the longest, in milliseconds */
  get maxMs(): number {
    return this.#histogram.maxValue / 1_000;
  }

  /** @param startedAtMs from `performance.now()` */
  recordSince(startedAtMs: number): void {
    this.record(performance.now() - startedAtMs);
  }

  record(latencyMs: number): void {
    const us = Math.round(latencyMs * 1_000);
    this.#histogram.recordValue(Math.min(Math.max(us, 1), highestUs));
  }

  summarize(): LatencySummary {
    const values = percentiles.map(
      (percentile) =>
        [
          `p${percentile}_ms`,
          Math.round(this.#histogram.getValueAtPercentile(percentile)) / 1_000,
        ] as const,
    );
    return {
      count: this.#histogram.totalCount,
      ...Object.fromEntries(values),
      max_ms: this.#histogram.maxValue / 1_000,
    };
  }
}

/** @param latenciesMs in any order */
export function summarizeLatencies(latenciesMs: readonly number[]): LatencySummary {
  const latencies = new Latencies();
  for (const latencyMs of latenciesMs) latencies.record(latencyMs);
  return latencies.summarize();
}
