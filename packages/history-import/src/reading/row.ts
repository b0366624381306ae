/** Reads the fields of a record, whose types nothing guarantees. */
import { RecordFault } from '../import-fault.ts';

/** Texts cannot hold these: the archive was edited by hand. */
export function cleanText(text: string): string {
  return text.includes('\0') || !text.isWellFormed()
    ? text.replaceAll('\0', '').toWellFormed()
    : text;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The end of the year 9999. */
const lastSecs = 253_402_300_799;

/** A record's fields by name. A field of the wrong type is a fault of the record. */
export class Row {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @throws RecordFault if it is no object */
  constructor(value: unknown) {
    if (!isRecord(value)) throw new RecordFault('it is no object');
    this.#fields = value;
  }

  value(name: string): unknown {
    return this.#fields[name];
  }

  names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null;
  }

  /** @throws RecordFault */
  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== 'string') throw new RecordFault(`${name} is no text`);
    return cleanText(value);
  }

  /** @returns undefined if it is absent, null or no text */
  findText(name: string): string | undefined {
    const value = this.#fields[name];
    return typeof value === 'string' ? cleanText(value) : undefined;
  }

  /** @throws RecordFault for anything but a number, or a text of digits */
  number(name: string): number {
    const found = this.findNumber(name);
    if (found === undefined) throw new RecordFault(`${name} is no number`);
    return found;
  }

  findNumber(name: string): number | undefined {
    const value = this.#fields[name];
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    if (typeof value === 'string' && /^-?\d{1,16}(?:\.\d{1,16})?$/.test(value))
      return Number(value);
    return undefined;
  }

  /** @throws RecordFault for anything but an integer that can be held exactly */
  integer(name: string): number {
    const value = this.number(name);
    if (!Number.isSafeInteger(value)) throw new RecordFault(`${name} is no integer`);
    return value;
  }

  /** @returns Unix time; undefined if it is absent, or no time from 1970 to 9999 */
  findTime(name: string, unitsPerSecond = 1): number | undefined {
    const secs = (this.findNumber(name) ?? -1) / unitsPerSecond;
    return secs >= 0 && secs <= lastSecs ? secs : undefined;
  }

  findInteger(name: string): number | undefined {
    const value = this.findNumber(name);
    return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
  }

  /** Only true is true. */
  isTrue(name: string): boolean {
    return this.#fields[name] === true;
  }

  findBoolean(name: string): boolean | undefined {
    const value = this.#fields[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  /** @returns the integers of a list; anything else in it is left out */
  integers(name: string): number[] {
    return this.list(name).filter(
      (entry): entry is number => typeof entry === 'number' && Number.isSafeInteger(entry),
    );
  }

  /** @returns the elements of a list; empty if there is none */
  list(name: string): readonly unknown[] {
    const value = this.#fields[name];
    return Array.isArray(value) ? value : [];
  }

  /** @returns the fields of an object; of an empty one if there is none */
  row(name: string): Row {
    const value = this.#fields[name];
    return new Row(isRecord(value) ? value : {});
  }
}
