/**
 * Reads the elements of the arrays of a JSON file as they pass: of the file's own array, or of the arrays in its object. Memory is bounded by
 * the longest element. Elements are cut out of the bytes by their braces, and many neighbouring ones are parsed together.
 */
import type { Readable } from 'node:stream';

import { ImportFault } from '../import-fault.ts';
import { containerBytes, depthMax, valueBytes, weightMaxBytes } from './record-weight.ts';

/** Neighbouring elements of one array. */
export type ElementRun = {
  /** The key of the array, empty for the file's own. */
  readonly table: string;
  /** The number of the first element in its array. */
  readonly first: number;
  /** Each element's JSON text: where it begins and ends in `bytes`. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** How much memory each element takes, estimated in bytes. */
  readonly weights: readonly number[];
  readonly bytes: Buffer;
};

/** The most bytes of one element. */
export const elementMaxBytes = 64 * 1024 * 1024;
/** No export has more than a few dozen tables in a file. */
const keysMax = 1_000;
const runMaxElements = 2_000;

const byte = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The bytes that end or nest something. */
const marks: readonly boolean[] = Array.from(
  { length: 256 },
  (_, code) =>
    code !== byte.colon && code !== byte.backslash && Object.values<number>(byte).includes(code),
);

const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

type Where = 'file' | 'keys' | 'array' | 'element' | 'value' | 'ended';

class ElementScanner {
  readonly #file: string;
  #where: Where = 'file';
  #isObjectFile = false;
  #table = '';
  #tables = new Set<string>();
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #index = 0;
  /** Where the element, key or value at hand began in `#pending`; -1 outside. */
  #began = -1;
  /** Whether a key has been read whose value follows. */
  #hasKey = false;
  #pending: Buffer = Buffer.alloc(0);
  #starts: number[] = [];
  #ends: number[] = [];
  #weights: number[] = [];
  /** Of the element at hand. */
  #weight = 0;
  #runFirst = 0;
  #runs: ElementRun[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  #fault(reason: string): ImportFault {
    return new ImportFault(`${this.#file} cannot be read: ${reason}`);
  }

  #shownTable(): string {
    return this.#table === '' ? '' : ` of ${this.#table}`;
  }

  #cutRun(): void {
    if (this.#starts.length > 0)
      this.#runs.push({
        table: this.#table,
        first: this.#runFirst,
        starts: this.#starts,
        ends: this.#ends,
        weights: this.#weights,
        bytes: this.#pending,
      });
    this.#starts = [];
    this.#ends = [];
    this.#weights = [];
    this.#runFirst = this.#index;
  }

  /** @returns the runs of elements that end in this piece */
  push(piece: Buffer): readonly ElementRun[] {
    const bytes = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    const from = this.#pending.length;
    this.#pending = bytes;
    this.#runs = [];
    for (let n = from; n < bytes.length; n += 1) n = this.#step(bytes, n);
    this.#cutRun();
    const keepFrom = this.#began >= 0 ? this.#began : bytes.length;
    if (bytes.length - keepFrom > elementMaxBytes)
      throw this.#fault(`an element${this.#shownTable()} is longer than ${elementMaxBytes} bytes`);
    this.#pending = bytes.subarray(keepFrom);
    if (this.#began >= 0) this.#began = 0;
    return this.#runs;
  }

  /** @returns the place of the last byte that was consumed */
  #step(bytes: Buffer, at: number): number {
    if (this.#inString) return this.#passString(bytes, at);
    if (this.#where === 'element' || this.#where === 'value') return this.#passInside(bytes, at);
    const code = bytes[at] ?? 0;
    if (!isBlank(code)) this.#outside(code, at);
    return at;
  }

  /** Most bytes are inside elements and mean nothing here. */
  #passInside(bytes: Buffer, from: number): number {
    const { length } = bytes;
    for (let n = from; n < length; n += 1) {
      const code = bytes[n] ?? 0;
      if (!marks[code]) continue;
      this.#inside(code, n);
      return n;
    }
    return length;
  }

  #passString(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let isEscaped = this.#isEscaped;
    for (let n = from; n < length; n += 1) {
      const code = bytes[n];
      if (isEscaped) isEscaped = false;
      else if (code === byte.backslash) isEscaped = true;
      else if (code === byte.quote) {
        this.#isEscaped = false;
        this.#inString = false;
        this.#endString(n);
        return n;
      }
    }
    this.#isEscaped = isEscaped;
    return length;
  }

  #endString(at: number): void {
    if (this.#where === 'keys') this.#takeKey(at + 1);
    else if (this.#where === 'element' && this.#depth === 0) this.#endElement(at + 1);
  }

  #takeKey(end: number): void {
    const text = this.#pending.toString('utf8', this.#began, end);
    this.#began = -1;
    let key: unknown;
    try {
      key = JSON.parse(text);
    } catch {
      throw this.#fault('a key is no JSON text');
    }
    this.#table = String(key).slice(0, 200);
    if (this.#tables.has(this.#table)) throw this.#fault(`it has ${this.#table} twice`);
    this.#tables.add(this.#table);
    if (this.#tables.size > keysMax) throw this.#fault(`it has more than ${keysMax} tables`);
    this.#hasKey = true;
  }

  /** Between elements, keys and values. */
  #outside(code: number, at: number): void {
    switch (this.#where) {
      case 'file':
        return this.#beginFile(code);
      case 'keys':
        return this.#atKeys(code, at);
      case 'array':
        if (code === byte.closeArray) this.#endArray();
        else if (code !== byte.comma) this.#begin('element', code, at);
        return;
      case 'ended':
        throw this.#fault('something follows its end');
      case 'element':
      case 'value':
    }
  }

  #beginFile(code: number): void {
    if (code === byte.openObject) {
      this.#isObjectFile = true;
      this.#where = 'keys';
    } else if (code === byte.openArray) this.#beginArray();
    else throw this.#fault('it is no JSON object or array in UTF-8');
  }

  #atKeys(code: number, at: number): void {
    if (code === byte.colon || code === byte.comma) return;
    if (this.#hasKey) {
      this.#hasKey = false;
      if (code === byte.openArray) this.#beginArray();
      else this.#begin('value', code, at);
    } else if (code === byte.quote) {
      this.#began = at;
      this.#inString = true;
    } else if (code === byte.closeObject) this.#where = 'ended';
    else throw this.#fault('something stands where a key should be');
  }

  #beginArray(): void {
    this.#where = 'array';
    this.#index = 0;
    this.#runFirst = 0;
  }

  #endArray(): void {
    this.#cutRun();
    this.#where = this.#isObjectFile ? 'keys' : 'ended';
  }

  #begin(where: 'element' | 'value', code: number, at: number): void {
    this.#where = where;
    this.#began = at;
    this.#depth = 0;
    this.#weight = 0;
    this.#inside(code, at);
  }

  #inside(code: number, at: number): void {
    switch (code) {
      case byte.quote:
        this.#inString = true;
        return;
      case byte.openObject:
      case byte.openArray:
        this.#depth += 1;
        this.#addWeight(containerBytes);
        if (this.#depth > depthMax) throw this.#fault(`it is nested deeper than ${depthMax}`);
        return;
      case byte.closeObject:
      case byte.closeArray:
        if (this.#depth === 0) return this.#endBare(code, at);
        this.#depth -= 1;
        if (this.#depth === 0 && this.#where === 'element') this.#endElement(at + 1);
        return;
      case byte.comma:
        if (this.#depth === 0) this.#endBare(code, at);
        else this.#addWeight(valueBytes);
    }
  }

  #addWeight(bytes: number): void {
    this.#weight += bytes;
    if (this.#weight > weightMaxBytes)
      throw this.#fault(`an element${this.#shownTable()} has too many values`);
  }

  #endElement(end: number): void {
    this.#starts.push(this.#began);
    this.#ends.push(end);
    this.#weights.push(this.#weight + end - this.#began);
    this.#began = -1;
    this.#index += 1;
    this.#where = 'array';
    if (this.#starts.length >= runMaxElements) this.#cutRun();
  }

  /** A number or a word ends with what follows it; so does a value that is no array. */
  #endBare(code: number, at: number): void {
    if (this.#where === 'element') {
      this.#endElement(at);
      if (code === byte.closeArray) this.#endArray();
      return;
    }
    const [start, end] = [this.#began, at];
    this.#began = -1;
    this.#runs.push({
      table: this.#table,
      first: -1,
      starts: [start],
      ends: [end],
      weights: [this.#weight + end - start],
      bytes: this.#pending,
    });
    this.#where = code === byte.closeObject ? 'ended' : 'keys';
  }

  end(): void {
    if (this.#where !== 'ended') throw this.#fault('it is cut off before its end');
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Large enough that an element of the longest kind is copied only a few dozen times. */
const pieceBytes = 1024 * 1024;

async function* piecesOf(stream: Readable): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < pieceBytes) continue;
    yield chunks.length === 1 ? chunk : Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

/**
 * Reads a file. Values of an object that are no arrays come as a run whose `first` is -1.
 *
 * @param file its name in the archive, for faults
 * @throws ImportFault if the file is cut off, is no JSON in UTF-8, or exceeds a bound
 */
export async function* readElements(file: string, stream: Readable): AsyncGenerator<ElementRun> {
  const scanner = new ElementScanner(file);
  let isFirst = true;
  for await (const piece of piecesOf(stream)) {
    const hasMark = isFirst && piece.subarray(0, 3).equals(byteOrderMark);
    isFirst = false;
    yield* scanner.push(hasMark ? piece.subarray(3) : piece);
  }
  scanner.end();
}

const strictText = new TextDecoder('utf-8', { fatal: true });

/** An element that was read, or that could not be. */
export type ReadElement =
  | { readonly value: unknown; readonly index: number; readonly weight: number }
  | { readonly fault: string; readonly text: string; readonly index: number };

function parseOne(run: ElementRun, n: number): ReadElement {
  const index = run.first + n;
  const bytes = run.bytes.subarray(run.starts[n], run.ends[n]);
  try {
    return { value: JSON.parse(strictText.decode(bytes)), index, weight: run.weights[n] ?? 0 };
  } catch (error) {
    const fault = error instanceof SyntaxError ? 'it is no JSON' : 'it is not in UTF-8';
    return { fault, text: bytes.toString('latin1', 0, 1_000), index };
  }
}

/** @returns the elements of a run, each readable or not */
export function parseRun(run: ElementRun): readonly ReadElement[] {
  const end = run.ends.at(-1);
  try {
    const text = strictText.decode(run.bytes.subarray(run.starts[0], end));
    const values = JSON.parse(`[${text}]`) as unknown[];
    if (values.length === run.starts.length)
      return values.map((value, n) => ({
        value,
        index: run.first + n,
        weight: run.weights[n] ?? 0,
      }));
  } catch {
    // One of them is at fault; each is read alone to tell which.
  }
  return run.starts.map((_, n) => parseOne(run, n));
}
