/** No attempt gets longer, so that a store that moved to another address is found. */
const allowedMaxMs = 60_000;

/**
 * The time that attempts to reach a store get. It doubles with each that failed for lack of time and begins anew when one succeeds, so that a
 * store that is slow, and not away, is reached in the end and is not kept busy by attempts that are cut off.
 */
export class Patience {
  readonly #firstMs: number;
  readonly #random: () => number;
  #allowedMs: number;

  /** @param random of [0, 1): so attempts of many processes do not end together */
  constructor(firstMs: number, random: () => number = Math.random) {
    this.#firstMs = firstMs;
    this.#allowedMs = firstMs;
    this.#random = random;
  }

  /** @returns how long the next attempt may take: never less than the first one, and up to a quarter more than its share */
  nextMs(): number {
    return Math.round(this.#allowedMs * (1 + this.#random() / 4));
  }

  /** @param gotMs what the attempt got. Of several at the same time, those that got the least count for nothing */
  noteLate(gotMs: number): void {
    if (gotMs >= this.#allowedMs) this.#allowedMs = Math.min(this.#allowedMs * 2, allowedMaxMs);
  }

  noteSuccess(): void {
    this.#allowedMs = this.#firstMs;
  }
}
