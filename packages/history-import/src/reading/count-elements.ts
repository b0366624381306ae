/**
 * Counts the elements of the arrays of a JSON file, by commas and depth alone. It shares nothing with the reader of elements, so that a fault
 * of one of them shows as a difference.
 */
import type { Readable } from 'node:stream';

/** The state of the count between two pieces of a file. */
type Count = {
  depth: number;
  inText: boolean;
  escaped: boolean;
  /** The text at hand, while it may be the key of an array. */
  key: string;
  isArrayFile: boolean;
  inArray: boolean;
  hasElement: boolean;
  elements: number;
};

const opens = new Set([0x7b, 0x5b]);
const closes = new Set([0x7d, 0x5d]);
const blanks = new Set([0x20, 0x0a, 0x0d, 0x09, 0xef, 0xbb, 0xbf]);

function endArray(count: Count, totals: Map<string, number>): void {
  const elements = count.elements + (count.hasElement ? 1 : 0);
  const key = count.isArrayFile ? '' : (JSON.parse(`"${count.key}"`) as string);
  totals.set(key, (totals.get(key) ?? 0) + elements);
  count.inArray = false;
}

function countPiece(piece: Buffer, count: Count, totals: Map<string, number>): void {
  const arrayDepth = (): number => (count.isArrayFile ? 1 : 2);
  for (let n = 0; n < piece.length; n += 1) {
    const code = piece[n] ?? 0;
    if (count.inText) {
      if (count.escaped) count.escaped = false;
      else if (code === 0x5c) count.escaped = true;
      else if (code === 0x22) count.inText = false;
      if (count.inText && count.depth === 1 && !count.inArray && count.key.length < 1_000)
        count.key += String.fromCodePoint(code);
      continue;
    }
    if (blanks.has(code)) continue;
    if (count.inArray && count.depth === arrayDepth()) {
      if (code === 0x2c) {
        count.elements += 1;
        count.hasElement = false;
      } else if (!closes.has(code)) count.hasElement = true;
    }
    if (code === 0x22) {
      count.inText = true;
      if (count.depth === 1 && !count.inArray) count.key = '';
    } else if (opens.has(code)) {
      if (count.depth === 0 && code === 0x5b) count.isArrayFile = true;
      count.depth += 1;
      if (code === 0x5b && !count.inArray && count.depth === arrayDepth())
        Object.assign(count, { inArray: true, hasElement: false, elements: 0 });
    } else if (closes.has(code)) {
      if (count.inArray && count.depth === arrayDepth()) endArray(count, totals);
      count.depth -= 1;
    }
  }
}

/**
 * @param totals gets the number of elements of each array, by its key; that of the file's own array under the empty key
 */
export async function countElements(stream: Readable, totals: Map<string, number>): Promise<void> {
  const count: Count = {
    depth: 0,
    inText: false,
    escaped: false,
    key: '',
    isArrayFile: false,
    inArray: false,
    hasElement: false,
    elements: 0,
  };
  for await (const piece of stream as AsyncIterable<Buffer>) countPiece(piece, count, totals);
}
