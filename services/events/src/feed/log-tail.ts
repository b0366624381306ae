import type { ParsedEntry } from './parsed-entry.ts';

/**
 * The newest entries that this node has read, bounded in number and bytes. Older ones are read from Postgres, so the bound costs only
 * reads.
 */
export class LogTail {
  readonly #entriesMax: number;
  readonly #bytesMax: number;
  /** Undefined up to `#first`, so that dropped entries are freed at once. */
  readonly #entries: (ParsedEntry | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #beginPosition: number;

  /** @param beginPosition the cursor at which following began */
  constructor(
    beginPosition: number,
    bounds: { readonly entriesMax: number; readonly bytesMax: number },
  ) {
    this.#beginPosition = beginPosition;
    this.#entriesMax = bounds.entriesMax;
    this.#bytesMax = bounds.bytesMax;
  }

  /** Every entry above this position is in the tail. */
  get beginPosition(): number {
    return this.#beginPosition;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(entry: ParsedEntry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    while (this.#entries.length - this.#first > this.#entriesMax || this.#bytes > this.#bytesMax) {
      const oldest = this.#entries[this.#first];
      if (oldest === undefined || oldest === entry) break;
      this.#entries[this.#first] = undefined;
      this.#first += 1;
      this.#bytes -= oldest.bytes;
      this.#beginPosition = oldest.end;
    }
    // Removing elements one by one would move the whole array each time; this moves it rarely.
    if (this.#first > 1_000 && this.#first * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
  }

  /** @returns the entries whose runs end above `after` and begin at or below `upTo`, in order; `after` must not lie below the beginning */
  between(after: number, upTo: number): ParsedEntry[] {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && entry.end <= after) low = middle + 1;
      else high = middle;
    }
    const found: ParsedEntry[] = [];
    for (let index = low; index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined || entry.position > upTo) break;
      found.push(entry);
    }
    return found;
  }

  clear(beginPosition: number): void {
    this.#entries.length = 0;
    this.#first = 0;
    this.#bytes = 0;
    this.#beginPosition = beginPosition;
  }
}
