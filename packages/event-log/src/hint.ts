import type { PositionedEntry } from './log-entry.ts';

/**
 * A hint is one pub/sub message: the entries of one commit with their positions and bytes, so that an up-to-date follower needs no read.
 * Nothing depends on its arrival; the log in Postgres is the truth.
 *
 * Form: the epoch on the first line, then two lines for each entry: `position length messageId audience`, and the payload.
 * JSON text has no raw line breaks, so nothing needs escaping.
 */
export type Hint = { readonly epoch: number; readonly entries: readonly PositionedEntry[] };

/** @returns the channel that carries the hints of the organization under this key prefix */
export function hintChannel(keyPrefix: string): string {
  return `${keyPrefix}:log`;
}

export function encodeHint(hint: Hint): string {
  let text = String(hint.epoch);
  for (const entry of hint.entries) {
    text += `\n${entry.position} ${entry.length} ${entry.messageId} ${entry.audience}\n${entry.payload}`;
  }
  return text;
}

/** @returns undefined if the text is not a hint; a follower then relies on its head check */
export function decodeHint(text: string): Hint | undefined {
  const lines = text.split('\n');
  const epoch = Number(lines[0]);
  if (lines[0] === '' || !Number.isSafeInteger(epoch) || lines.length % 2 === 0) return undefined;
  const entries: PositionedEntry[] = [];
  for (let line = 1; line < lines.length; line += 2) {
    const [position, length, messageId, audience] = (lines[line] ?? '').split(' ').map(Number);
    const payload = lines[line + 1];
    if (
      position === undefined ||
      length === undefined ||
      messageId === undefined ||
      audience === undefined ||
      payload === undefined ||
      ![position, length, messageId, audience].every((value) => Number.isSafeInteger(value))
    ) {
      return undefined;
    }
    entries.push({ position, length, messageId, audience, payload });
  }
  return { epoch, entries };
}
