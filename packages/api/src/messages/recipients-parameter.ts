import { findExactInteger, findExactIntegers, parseJson } from '../declare/json-text.ts';
import { requestVariableInvalid } from '../errors.ts';

/** The parsed `to` of a send: names of streams or addresses of people, or ids of either. */
export type Recipients =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'ids'; readonly ids: readonly number[] };

export const noRecipients: Recipients = { kind: 'names', names: [] };

/** The possible beginnings of a JSON text. Other names cost no exception, which is expensive. */
const jsonBegin = /^[\s[{"\d\-tfn]/;

/** The value under the empty key: plain text if the text is not JSON. */
function tryJson(raw: string, name: string): { readonly '': unknown } {
  if (!jsonBegin.test(raw)) return { '': raw };
  const parsed = parseJson(raw, 'handled');
  if ('holder' in parsed) return parsed.holder;
  if (parsed.fault === 'not JSON') return { '': raw };
  throw requestVariableInvalid(name, raw);
}

function namesOf(items: readonly string[]): Recipients {
  return {
    kind: 'names',
    names: [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))],
  };
}

/**
 * Reads the accepted forms of `to` (reference facts, messages 3.3): JSON if it parses, otherwise plain text split at commas; a JSON string
 * is treated like plain text, a list is taken unchanged.
 *
 * @throws ApiError `REQUEST_VARIABLE_INVALID` for other JSON values and for lists that mix strings and integers
 */
export function parseRecipients(raw: string, name: string): Recipients {
  const holder = tryJson(raw, name);
  const value = holder[''];
  if (typeof value === 'string') return namesOf(value.split(','));
  const single = findExactInteger(holder, '');
  if (single !== undefined) return { kind: 'ids', ids: [single] };
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (items?.every((item) => typeof item === 'string') === true) return namesOf(items);
  const ids = items === undefined ? undefined : findExactIntegers(items);
  if (ids !== undefined) return { kind: 'ids', ids: [...new Set(ids)] };
  throw requestVariableInvalid(name, raw);
}
