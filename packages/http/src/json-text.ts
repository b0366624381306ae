import { argumentIsNotJson, invalidJson, requestVariableInvalid } from '@parley/contracts';

/**
 * Reads the JSON text of a parameter the way the reference does, and so that nothing in it can trouble a store:
 * a NUL is refused (in the body of a webhook replaced), lone surrogates become U+FFFD, integers beyond what a double holds exactly are held at the
 * largest safe one (no id is so large), integers beyond 64 bits are "not valid JSON" (reference facts, people 2.3).
 */

// Where a literal such as `5.0` or `5e0` stood, by holder and key: JavaScript cannot tell it from `5`, yet it fails
// an integer check.
const floatLiterals = new WeakMap<object, Set<string>>();

/** Tells whether the number at `holder[key]` was written with a fraction or an exponent. */
export function wasFloatLiteral(holder: object, key: string): boolean {
  return floatLiterals.get(holder)?.has(key) ?? false;
}

const numberNeedsCare = /\d[.eE]|\d{16}/;
const stringNeedsCare = /\\u(?:0000|[dD][89a-fA-F])/;
const integerLiteral = /^-?\d+$/;
const smallest64Bit = -(2n ** 63n);
const largest64Bit = 2n ** 64n - 1n;

class BeyondJson extends Error {}
class HoldsNul extends Error {}

type ReviverContext = { readonly source?: string };

type Reviver = (this: unknown, key: string, value: unknown, context?: ReviverContext) => unknown;

function reviveNumber(holder: unknown, key: string, value: number, source: string): number {
  if (integerLiteral.test(source)) {
    if (Number.isSafeInteger(value)) return value;
    const exact = BigInt(source);
    if (exact < smallest64Bit || exact > largest64Bit) throw new BeyondJson();
    return value < 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  if (!Number.isFinite(value)) throw new BeyondJson();
  if (Number.isInteger(value) && typeof holder === 'object' && holder !== null) {
    const keys = floatLiterals.get(holder);
    if (keys === undefined) floatLiterals.set(holder, new Set([key]));
    else keys.add(key);
  }
  return value;
}

/** Makes a reviver out of what becomes of texts, and of the names of members. */
function reviverOf(
  readText: (text: string) => string,
  readName: (name: string) => string,
): Reviver {
  return function revive(key, value, context) {
    if (typeof value === 'string') return readText(value);
    if (typeof value === 'number') return reviveNumber(this, key, value, context?.source ?? '');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(value)) {
        const readable = readName(name);
        if (readable === name) continue;
        Reflect.deleteProperty(value, name);
        Object.defineProperty(value, readable, {
          value: member,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
    }
    return value;
  };
}

function refuseNul(text: string): string {
  if (text.includes('\0')) throw new HoldsNul();
  return text.toWellFormed();
}

function replaceNul(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Whether a U+0000 in a text is refused, left to the endpoint, which has an answer of its own, or becomes U+FFFD. */
export type NulHandling = 'refused' | 'handled' | 'replaced';

const revivers: Readonly<Record<NulHandling, Reviver>> = {
  refused: reviverOf(refuseNul, refuseNul),
  handled: reviverOf((text) => text.toWellFormed(), refuseNul),
  replaced: reviverOf(replaceNul, replaceNul),
};

/** A parsed JSON text together with the object that holds it under the empty key. */
export type JsonValue = { readonly '': unknown };

/**
 * Parses any JSON text by the rules above.
 *
 * @returns the value, or why there is none
 */
export function parseJson(
  text: string,
  nul: NulHandling = 'refused',
): { readonly holder: JsonValue } | { readonly fault: 'not JSON' | 'NUL' } {
  try {
    if (!numberNeedsCare.test(text) && !stringNeedsCare.test(text)) {
      return { holder: { '': JSON.parse(text) as unknown } };
    }
    const value: unknown = JSON.parse(text, revivers[nul]);
    const holder = { '': value };
    if (typeof value === 'number' && !integerLiteral.test(text.trim()))
      floatLiterals.set(holder, new Set(['']));
    return { holder };
  } catch (error) {
    if (error instanceof HoldsNul) return { fault: 'NUL' };
    if (error instanceof BeyondJson || error instanceof SyntaxError) return { fault: 'not JSON' };
    // Nesting deeper than the stack is not a document that any endpoint could want.
    if (error instanceof RangeError) return { fault: 'not JSON' };
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

// A string literal, or a comma before a closing brace.
const stringOrTrailingComma = /"(?:[^"\\]|\\.)*"|,(?=\s*\})/gs;

/**
 * Parses the body of a webhook (reference facts, people 2.3 and 16.1); undefined, which no JSON means, where it is none. A NUL
 * becomes U+FFFD: nobody may ever read the text that it stands in.
 */
export function findJsonBody(text: string): unknown {
  let parsed = parseJson(text, 'replaced');
  if ('fault' in parsed) {
    parsed = parseJson(
      text.replaceAll(stringOrTrailingComma, (found) => (found === ',' ? '' : found)),
      'replaced',
    );
  }
  return 'fault' in parsed ? undefined : parsed.holder[''];
}

/**
 * Parses the body of a webhook as `findJsonBody` does.
 *
 * @throws ApiError `INVALID_JSON`
 */
export function parseJsonBody(text: string): unknown {
  const value = findJsonBody(text);
  if (value === undefined) throw invalidJson();
  return value;
}
