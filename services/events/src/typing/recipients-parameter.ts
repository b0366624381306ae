import { requestVariableInvalid } from '@parley/contracts';

/** Whom somebody is typing to: by address or by id, none twice. */
export type TypingRecipients =
  | { readonly kind: 'emails'; readonly emails: readonly string[] }
  | { readonly kind: 'ids'; readonly ids: readonly number[] };

export const nobody: TypingRecipients = { kind: 'emails', emails: [] };

function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function emailsOf(items: readonly string[]): TypingRecipients {
  const emails = items.map((item) => item.toWellFormed().trim()).filter((item) => item !== '');
  return { kind: 'emails', emails: [...new Set(emails)] };
}

/**
 * Reads the accepted forms of `to` (reference facts, events 15.1): a JSON list of ids or of addresses; a JSON string or plain text
 * is addresses with commas between them; `null` is nobody.
 *
 * @throws ApiError `REQUEST_VARIABLE_INVALID` for other JSON values, for lists of anything else and for mixed ones
 */
export function parseTypingRecipients(raw: string, name: string): TypingRecipients {
  const value = parseJson(raw);
  if (value === null) return nobody;
  if (typeof value === 'string') return emailsOf(value.split(','));
  const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (items?.every((item) => typeof item === 'string') === true) return emailsOf(items);
  if (items?.every((item) => typeof item === 'number' && Number.isSafeInteger(item)) === true)
    return { kind: 'ids', ids: [...new Set(items as readonly number[])] };
  throw requestVariableInvalid(name, raw);
}
