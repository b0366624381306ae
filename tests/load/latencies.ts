import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Histogram } from 'hdr-histogram-js';

// Latencies are recorded in whole microseconds up to two minutes.
const highestUs = 120_000_000;

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

  /** @param texts from `encode`, in other processes */
  static join(texts: readonly string[]): Latencies {
    const all = new Latencies();
    for (const text of texts) all.add(Latencies.decode(text));
    return all;
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

  record(latencyMs: number): void {
    const us = Math.round(latencyMs * 1_000);
    this.#histogram.recordValue(Math.min(Math.max(us, 1), highestUs));
  }
}
