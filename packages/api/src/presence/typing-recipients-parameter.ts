import { findExactIntegers, parseJson } from '../declare/json-text.ts';
import { requestVariableInvalid } from '../errors.ts';

/** The people who are told about the typing: by address or by id, each once. */
export type TypingRecipients =
  | { readonly kind: 'emails'; readonly emails: readonly string[] }
  | { readonly kind: 'ids'; readonly ids: readonly number[] };

export const noTypingRecipients: TypingRecipients = { kind: 'emails', emails: [] };

function emailsOf(items: readonly string[]): TypingRecipients {
  const emails = items.map((item) => item.trim()).filter((item) => item !== '');
  return { kind: 'emails', emails: [...new Set(emails)] };
}

/**
 * Reads the accepted forms of `to` (reference facts, events 15.1): a JSON list of ids or of addresses; a JSON string or plain text is a
 * list of addresses with commas between them; `null` is nobody.
 *
 * @throws ApiError `REQUEST_VARIABLE_INVALID` for other JSON values, for lists of anything else and for mixed ones
 */
export function parseTypingRecipients(raw: string, name: string): TypingRecipients {
  const parsed = parseJson(raw, 'handled');
  if ('fault' in parsed && parsed.fault !== 'not JSON') throw requestVariableInvalid(name, raw);
  const value = 'holder' in parsed ? parsed.holder[''] : raw;
  if (value === null) return noTypingRecipients;
  if (typeof value === 'string') return emailsOf(value.split(','));
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (items?.every((item) => typeof item === 'string') === true) return emailsOf(items);
  const ids = items === undefined ? undefined : findExactIntegers(items);
  if (ids !== undefined) return { kind: 'ids', ids: [...new Set(ids)] };
  throw requestVariableInvalid(name, raw);
}
