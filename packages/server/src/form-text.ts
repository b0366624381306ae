import { badRequest, limits } from '@parley/api';
import type { FormValues } from '@parley/api';

/**
 * Decoding of urlencoded text, in queries and bodies (reference facts, people 2.2): pairs are split only at `&`, `+` is a space, percent
 * escapes are UTF-8 and undecodable bytes become U+FFFD; a `%` without two hex digits is literal. The last value of a repeated name counts.
 * The only error is that of too many fields.
 */

const percent = 0x25;
/** The value of each byte as a hexadecimal digit; -1 for other bytes. */
const hexDigits = Int8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? -1 : digit;
});

// A byte order mark in a value is ordinary text.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The decoder of the charset in a Content-Type, or of UTF-8 if the charset is absent or unknown.
 *
 * @param charset the label as sent
 */
export function decoderFor(charset: string | undefined): TextDecoder {
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8;
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch (error) {
    if (error instanceof RangeError) return utf8;
    throw error;
  }
}

function decodeBytes(component: string, decoder: TextDecoder): string {
  const bytes = Buffer.from(component, 'utf8');
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = hexDigits[bytes[at + 1] ?? 0] ?? -1;
    const low = hexDigits[bytes[at + 2] ?? 0] ?? -1;
    const isEscape = byte === percent && high !== -1 && low !== -1;
    bytes[length] = isEscape ? high * 16 + low : byte;
    length += 1;
    if (isEscape) at += 2;
  }
  return decoder.decode(bytes.subarray(0, length));
}

function decodeComponent(raw: string, decoder: TextDecoder): string {
  const component = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!component.includes('%')) return component;
  if (decoder !== utf8) return decodeBytes(component, decoder);
  try {
    return decodeURIComponent(component);
  } catch (error) {
    if (error instanceof URIError) return decodeBytes(component, decoder);
    throw error;
  }
}

export type DecodeFormOptions = {
  readonly decoder?: TextDecoder;
  /** More fields than this are refused. */
  readonly fieldsMax?: number;
};

/**
 * Decodes `a=1&b=2`. Empty pieces are skipped; a piece without `=` is a name with an empty value.
 *
 * @throws ApiError 400 when there are more fields than allowed
 */
export function decodeForm(
  form: string,
  { decoder = utf8, fieldsMax = limits.bodyFieldsMax }: DecodeFormOptions = {},
): FormValues {
  const values: FormValues = new Map();
  let fields = 0;
  let start = 0;
  while (start < form.length) {
    let end = form.indexOf('&', start);
    if (end < 0) end = form.length;
    if (end > start) {
      fields += 1;
      if (fields > fieldsMax) throw tooManyFields();
      // Searched only within the piece, because a form may have very many pieces without one.
      const piece = form.slice(start, end);
      const equals = piece.indexOf('=');
      const name = equals < 0 ? piece : piece.slice(0, equals);
      const value = equals < 0 ? '' : piece.slice(equals + 1);
      values.set(decodeComponent(name, decoder), decodeComponent(value, decoder));
    }
    start = end + 1;
  }
  return values;
}

/** A body or query with more fields than `limits.bodyFieldsMax`. */
export function tooManyFields(): Error {
  return badRequest('Too many fields in the request');
}
