import { requestVariableInvalid } from '@parley/contracts';

/** The parsed `to` of a send: names of streams or addresses of people, or ids of either. */
export type Recipients =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'ids'; readonly ids: readonly number[] };

export const noRecipients: Recipients = { kind: 'names', names: [] };

/** How a JSON text may begin. A name that is none of it costs no exception, which is dear. */
const jsonBegin = /^[\s[{"\d\-tfn]/;

function tryJson(raw: string): unknown {
  if (!jsonBegin.test(raw)) return raw;
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function namesOf(items: readonly string[]): Recipients {
  return {
    kind: 'names',
    names: [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))],
  };
}

/**
 * Reads the accepted forms of `to` (reference facts, messages 3.3): JSON where it parses, otherwise plain text split at commas; a
 * JSON string is treated like plain text, a list is taken as it is.
 *
 * @throws ApiError `REQUEST_VARIABLE_INVALID` for other JSON values and for lists that mix strings and integers
 */
export function parseRecipients(raw: string, name: string): Recipients {
  const value = tryJson(raw);
  if (typeof value === 'string') return namesOf(value.toWellFormed().split(','));
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) && items.every((item) => typeof item === 'string')) {
    return namesOf(items.map((item) => item.toWellFormed()));
  }
  if (items.every((item) => typeof item === 'number' && Number.isSafeInteger(item))) {
    return { kind: 'ids', ids: [...new Set(items as number[])] };
  }
  throw requestVariableInvalid(name, raw);
}
