/** A run of equal keys: `size` of them, from `before` in the one list and from `after` in the other. */
export type MatchingBlock = { before: number; after: number; size: number };

/**
 * The most comparisons for one difference. A hundred thousand characters of ordinary words with several changes need far fewer; texts that
 * repeat a few words need the square of their length.
 */
const stepsMax = 3_000_000;

/** Lists this long do not anchor on keys that make up over one percent (reference facts, markdown 16.2). */
const popularFrom = 200;
/** Shorter matches become part of the changes around them (reference facts, markdown 16.2). */
const swallowedMax = 2;

type Range = { alo: number; ahi: number; blo: number; bhi: number };

/** The positions of each key in the list, ascending. */
function positionsOf(keys: readonly string[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [index, key] of keys.entries()) {
    const list = positions.get(key);
    if (list === undefined) positions.set(key, [index]);
    else list.push(index);
  }
  if (keys.length >= popularFrom) {
    const countMax = Math.floor(keys.length / 100) + 1;
    for (const [key, list] of positions) if (list.length > countMax) positions.delete(key);
  }
  return positions;
}

/** The first position in an ascending list that is not below `least`. */
function firstIndexAtLeast(list: readonly number[], least: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Matcher {
  readonly #a: readonly string[];
  readonly #b: readonly string[];
  readonly #positions: Map<string, number[]>;
  /** Length of the common run that ends at each index of `b`, for this row and the one before. */
  #row: Int32Array;
  #previousRow: Int32Array;
  #stepsLeft = stepsMax;

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a;
    this.#b = b;
    this.#positions = positionsOf(b);
    this.#row = new Int32Array(b.length + 1);
    this.#previousRow = new Int32Array(b.length + 1);
  }

  /** All matches of a range: the longest, then those on both sides of it. */
  blocks(): MatchingBlock[] {
    const blocks: MatchingBlock[] = [];
    const waiting: Range[] = [{ alo: 0, ahi: this.#a.length, blo: 0, bhi: this.#b.length }];
    for (let range = waiting.pop(); range !== undefined; range = waiting.pop()) {
      if (this.#stepsLeft <= 0) {
        blocks.push(...this.#edges(range));
        continue;
      }
      const block = this.#longest(range);
      if (block === undefined) {
        blocks.push(...this.#edges(range));
        continue;
      }
      const { before, after, size } = block;
      if (size === 0) continue;
      blocks.push(block);
      if (range.alo < before && range.blo < after) {
        waiting.push({ alo: range.alo, ahi: before, blo: range.blo, bhi: after });
      }
      if (before + size < range.ahi && after + size < range.bhi) {
        waiting.push({ alo: before + size, ahi: range.ahi, blo: after + size, bhi: range.bhi });
      }
    }
    return blocks;
  }

  /** @returns undefined if no steps are left to find it */
  #longest({ alo, ahi, blo, bhi }: Range): MatchingBlock | undefined {
    let best: MatchingBlock = { before: alo, after: blo, size: 0 };
    const touched: number[] = [];
    let previousTouched: number[] = [];
    for (let i = alo; i < ahi; i += 1) {
      const list = this.#positions.get(this.#a[i] ?? '') ?? [];
      for (let index = firstIndexAtLeast(list, blo); index < list.length; index += 1) {
        const j = list[index] ?? 0;
        if (j >= bhi) break;
        this.#stepsLeft -= 1;
        const size = (j > blo ? (this.#previousRow[j - 1] ?? 0) : 0) + 1;
        this.#row[j] = size;
        touched.push(j);
        if (size > best.size) best = { before: i - size + 1, after: j - size + 1, size };
      }
      for (const j of previousTouched) this.#previousRow[j] = 0;
      previousTouched = touched.splice(0);
      [this.#row, this.#previousRow] = [this.#previousRow, this.#row];
      if (this.#stepsLeft <= 0) break;
    }
    for (const j of previousTouched) this.#previousRow[j] = 0;
    if (this.#stepsLeft <= 0) return undefined;
    return this.#extended(best, { alo, ahi, blo, bhi });
  }

  /** Popular keys begin no match but may belong to one. */
  #extended(block: MatchingBlock, { alo, ahi, blo, bhi }: Range): MatchingBlock {
    let { before, after, size } = block;
    while (before > alo && after > blo && this.#a[before - 1] === this.#b[after - 1]) {
      before -= 1;
      after -= 1;
      size += 1;
    }
    while (
      before + size < ahi &&
      after + size < bhi &&
      this.#a[before + size] === this.#b[after + size]
    ) {
      size += 1;
    }
    return { before, after, size };
  }

  /** The coarse method without remaining steps: the common beginning and end of a range. */
  #edges({ alo, ahi, blo, bhi }: Range): MatchingBlock[] {
    const sizeMax = Math.min(ahi - alo, bhi - blo);
    let start = 0;
    while (start < sizeMax && this.#a[alo + start] === this.#b[blo + start]) start += 1;
    let end = 0;
    while (end < sizeMax - start && this.#a[ahi - 1 - end] === this.#b[bhi - 1 - end]) end += 1;
    return [
      { before: alo, after: blo, size: start },
      { before: ahi - end, after: bhi - end, size: end },
    ].filter(({ size }) => size > 0);
  }
}

function joined(blocks: readonly MatchingBlock[]): MatchingBlock[] {
  const output: MatchingBlock[] = [];
  for (const block of blocks) {
    const last = output.at(-1);
    if (
      last !== undefined &&
      last.before + last.size === block.before &&
      last.after + last.size === block.after
    ) {
      last.size += block.size;
    } else {
      output.push({ ...block });
    }
  }
  return output;
}

/**
 * The common parts of two lists (reference facts, markdown 16.2), in order. Beyond a number of steps, the rest is compared only at its
 * ends: a coarser difference, but still a correct one.
 */
export function matchingBlocks(
  before: readonly string[],
  after: readonly string[],
): MatchingBlock[] {
  const blocks = new Matcher(before, after).blocks();
  const swallowed = Math.min(swallowedMax, after.length / 4);
  return joined(blocks.toSorted((first, second) => first.before - second.before)).filter(
    ({ size }) => size > swallowed,
  );
}
