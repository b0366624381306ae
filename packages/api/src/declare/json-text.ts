import { argumentIsNotJson, invalidJson, requestVariableInvalid } from '../errors.ts';

/**
 * Reads the JSON text of a parameter as the reference does, and so that nothing in it can trouble a store. A NUL is refused (in the body of
 * a webhook replaced), and lone surrogates become U+FFFD. Integers beyond those that a double represents exactly become the largest safe
 * one (no id is so large). Integers beyond 64 bits and texts of more than 200,000 values are "not valid JSON" (reference facts, people
 * 2.3).
 */

// Marks a literal such as `5.0` or `5e0`: JavaScript cannot distinguish it from `5`, yet it fails an integer check.
const floatLiterals = Symbol('keys of float literals');
// Marks an integer beyond those that a double represents exactly.
const heldIntegers = Symbol('keys of held integers');

/**
 * An object or list, with the marks of its numbers by key. They are a property that is not enumerable, because a weak map of a hundred
 * thousand objects would keep the garbage collector busy for a second.
 */
type Holder = {
  [floatLiterals]?: Set<string | number>;
  [heldIntegers]?: Set<string | number>;
};

type NumberMark = keyof Holder;

function mark(holder: Holder, what: NumberMark, key: string | number): void {
  const keys = holder[what];
  if (keys === undefined) Object.defineProperty(holder, what, { value: new Set([key]) });
  else keys.add(key);
}

function isMarked(holder: Holder, what: NumberMark, key: string | number): boolean {
  return holder[what]?.has(Array.isArray(holder) ? Number(key) : key) ?? false;
}

/** Whether the number at `holder[key]` was written with a fraction or an exponent. */
export function wasFloatLiteral(holder: object, key: string): boolean {
  return isMarked(holder, floatLiterals, key);
}

/** @returns the integer at `holder[key]`, if it was written as an integer and its value is exact */
export function findExactInteger(holder: object, key: string | number): number | undefined {
  const value: unknown = Reflect.get(holder, key);
  const isExact =
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    !isMarked(holder, floatLiterals, key) &&
    !isMarked(holder, heldIntegers, key);
  return isExact ? value : undefined;
}

/** @returns the list's integers, if each is one that `findExactInteger` finds */
export function findExactIntegers(list: readonly unknown[]): number[] | undefined {
  const found = list.map((_, index) => findExactInteger(list, index));
  return found.every((item) => item !== undefined) ? found : undefined;
}

const numberNeedsCare = /\d[.eE]|\d{16}/;
const stringNeedsCare = /\\u(?:0000|[dD][89a-fA-F])/;
const integerLiteral = /^-?\d+$/;
const smallest64Bit = -(2n ** 63n);
const largest64Bit = 2n ** 64n - 1n;

class ContainsNul extends Error {}

/** It is JSON, but beyond the bounds. */
class OutOfBounds extends Error {}

/** Whether a U+0000 in a text is refused, left to the endpoint's own answer, or becomes U+FFFD. */
export type NulHandling = 'refused' | 'handled' | 'replaced';

type TextReader = (text: string) => string;

function refuseNul(text: string): string {
  if (text.includes('\0')) throw new ContainsNul();
  return text.toWellFormed();
}

function replaceNul(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** The treatment of the texts and member names in a JSON text, by the handling of NULs. */
const textReaders: Readonly<
  Record<NulHandling, { readonly text: TextReader; readonly name: TextReader }>
> = {
  refused: { text: refuseNul, name: refuseNul },
  handled: { text: (text) => text.toWellFormed(), name: refuseNul },
  replaced: { text: replaceNul, name: replaceNul },
};

/** No parameter or payload nests nearly so deep. */
const depthMax = 500;

/** Values of one text: empty lists take forty times their text in memory, and many requests may be in memory together. */
const valuesMax = 200_000;

const numberLiteral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openingBracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** By their first character. */
const literals: ReadonlyMap<number, { readonly text: string; readonly value: boolean | null }> =
  new Map([
    [0x66, { text: 'false', value: false }],
    [0x6e, { text: 'null', value: null }],
    [0x74, { text: 'true', value: true }],
  ]);

/** Space, tab, line feed and carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** @returns the end of the text whose opening quote is before `begin`; the length of all if it has no end */
function endOfText(source: string, begin: number): number {
  let end = source.indexOf('"', begin);
  while (end !== -1) {
    let escapes = end;
    while (source.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
    end = source.indexOf('"', end + 1);
  }
  return source.length;
}

/** Whether more commas separate values than a text may have; such a text, which may have millions, is not parsed. */
function hasTooManyValues(source: string): boolean {
  let commas = 0;
  for (let at = 0; at < source.length && commas < valuesMax; at += 1) {
    const code = source.charCodeAt(at);
    if (code === quote) at = endOfText(source, at + 1);
    else if (code === comma) commas += 1;
  }
  return commas >= valuesMax;
}

/**
 * Reads JSON in one pass, for texts in which the spelling of a number or a text matters. `JSON.parse` reveals it only with a callback for
 * every value, which takes five times as long.
 */
class JsonReader {
  readonly #source: string;
  readonly #read: (typeof textReaders)[NulHandling];
  #at = 0;
  #valuesLeft = valuesMax;

  constructor(source: string, nul: NulHandling) {
    this.#source = source;
    this.#read = textReaders[nul];
  }

  /** @throws SyntaxError, OutOfBounds, ContainsNul */
  readWhole(): JsonValue {
    const holder = { '': undefined as unknown };
    holder[''] = this.#readValue(holder, '', 0);
    if (this.#at < this.#source.length) throw new SyntaxError('something follows the value');
    return holder;
  }

  #readValue(holder: object, key: string | number, depth: number): unknown {
    this.#skipSpaces();
    const value = this.#readBare(holder, key, depth);
    this.#skipSpaces();
    return value;
  }

  #readBare(holder: object, key: string | number, depth: number): unknown {
    if (depth > depthMax) throw new OutOfBounds('it nests too deep');
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) throw new OutOfBounds('it has too many values');
    if (this.#take(quote)) return this.#read.text(this.#readText());
    if (this.#take(openingBracket)) return this.#readArray(depth);
    if (this.#take(openingBrace)) return this.#readObject(depth);
    const literal = literals.get(this.#source.charCodeAt(this.#at));
    if (literal === undefined) return readNumber(holder, key, this.#readNumberLiteral());
    if (!this.#source.startsWith(literal.text, this.#at)) throw new SyntaxError('no value');
    this.#at += literal.text.length;
    return literal.value;
  }

  #readArray(depth: number): unknown[] {
    const array: unknown[] = [];
    this.#skipSpaces();
    if (this.#take(closingBracket)) return array;
    do {
      array.push(this.#readValue(array, array.length, depth + 1));
    } while (this.#take(comma));
    this.#expect(closingBracket);
    return array;
  }

  #readObject(depth: number): object {
    const object: Record<string, unknown> = {};
    this.#skipSpaces();
    if (this.#take(closingBrace)) return object;
    do {
      this.#skipSpaces();
      this.#expect(quote);
      const key = this.#read.name(this.#readText());
      this.#skipSpaces();
      this.#expect(colon);
      const value = this.#readValue(object, key, depth + 1);
      if (key === '__proto__') setMember(object, key, value);
      else object[key] = value;
    } while (this.#take(comma));
    this.#expect(closingBrace);
    return object;
  }

  /** Reads the text whose opening quote was consumed. */
  #readText(): string {
    const begin = this.#at - 1;
    const end = endOfText(this.#source, this.#at);
    if (end === this.#source.length) throw new SyntaxError('a text without an end');
    this.#at = end + 1;
    return JSON.parse(this.#source.slice(begin, this.#at)) as string;
  }

  #readNumberLiteral(): string {
    const begin = this.#at;
    numberLiteral.lastIndex = begin;
    if (!numberLiteral.test(this.#source)) throw new SyntaxError('no value');
    this.#at = numberLiteral.lastIndex;
    return this.#source.slice(begin, this.#at);
  }

  #skipSpaces(): void {
    while (isSpace(this.#source.charCodeAt(this.#at))) this.#at += 1;
  }

  #take(code: number): boolean {
    if (this.#source.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  #expect(code: number): void {
    if (!this.#take(code)) throw new SyntaxError(`${String.fromCharCode(code)} is missing`);
  }
}

/** A member `__proto__` is treated like any other. */
function setMember(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function readNumber(holder: object, key: string | number, source: string): number {
  const value = Number(source);
  if (integerLiteral.test(source)) {
    if (Number.isSafeInteger(value)) return value;
    // No integer of 64 bits has more digits, and reading a longer one takes the square of its length.
    const exact = source.length > 20 ? undefined : BigInt(source);
    if (exact === undefined || exact < smallest64Bit || exact > largest64Bit)
      throw new OutOfBounds('an integer of more than 64 bits');
    mark(holder, heldIntegers, key);
    return value < 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  if (!Number.isFinite(value)) throw new OutOfBounds('a number beyond all that are kept');
  if (Number.isInteger(value)) mark(holder, floatLiterals, key);
  return value;
}

/** A parsed JSON text together with the object that contains it under the empty key. */
export type JsonValue = { readonly '': unknown };

/**
 * Parses any JSON text by the rules above.
 *
 * @returns the value, or the reason why there is none
 */
export function parseJson(
  text: string,
  nul: NulHandling = 'refused',
): { readonly holder: JsonValue } | { readonly fault: 'not JSON' | 'out of bounds' | 'NUL' } {
  try {
    // A value and its separator from the next take at least two characters.
    const mayHaveTooMany = text.length >= 2 * valuesMax;
    if (mayHaveTooMany && hasTooManyValues(text)) return { fault: 'out of bounds' };
    if (!mayHaveTooMany && !numberNeedsCare.test(text) && !stringNeedsCare.test(text)) {
      return { holder: { '': JSON.parse(text) as unknown } };
    }
    return { holder: new JsonReader(text, nul).readWhole() };
  } catch (error) {
    if (error instanceof ContainsNul) return { fault: 'NUL' };
    if (error instanceof SyntaxError) return { fault: 'not JSON' };
    // The nesting is deeper than the stack.
    if (error instanceof OutOfBounds || error instanceof RangeError)
      return { fault: 'out of bounds' };
    throw error;
  }
}

/**
 * Parses a JSON-encoded parameter.
 *
 * @throws ApiError `Argument "{name}" is not valid JSON.`, or `REQUEST_VARIABLE_INVALID` for a text with a NUL
 */
export function parseJsonParameter(
  text: string,
  name: string,
  nul: NulHandling = 'refused',
): JsonValue {
  const parsed = parseJson(text, nul);
  if ('holder' in parsed) return parsed.holder;
  if (parsed.fault === 'NUL') throw requestVariableInvalid(name, text);
  throw argumentIsNotJson(name);
}

/** Removes each comma before a closing brace, in one pass. */
function withoutTrailingCommas(text: string): string {
  let kept = '';
  let keptTo = 0;
  // The position of a comma that only white space has followed.
  let commaAt = -1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === comma) commaAt = at;
    else if (!isSpace(code)) {
      if (code === closingBrace && commaAt !== -1) {
        kept += text.slice(keptTo, commaAt);
        keptTo = commaAt + 1;
      }
      commaAt = -1;
      if (code === quote) at = endOfText(text, at + 1);
    }
  }
  return kept + text.slice(keptTo);
}

/**
 * Parses the body of a webhook (reference facts, people 2.3 and 16.1); undefined, which no JSON can be, if it is invalid. A NUL becomes
 * U+FFFD, because its text may never be needed.
 */
export function findJsonBody(text: string): unknown {
  const parsed = parseJson(text, 'replaced');
  if ('holder' in parsed) return parsed.holder[''];
  if (parsed.fault !== 'not JSON') return undefined;
  const repaired = withoutTrailingCommas(text);
  const again = repaired === text ? parsed : parseJson(repaired, 'replaced');
  return 'holder' in again ? again.holder[''] : undefined;
}

/**
 * Parses the body of a webhook like `findJsonBody`.
 *
 * @throws ApiError `INVALID_JSON`
 */
export function parseJsonBody(text: string): unknown {
  const value = findJsonBody(text);
  if (value === undefined) throw invalidJson();
  return value;
}
