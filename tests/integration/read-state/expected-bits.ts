import { flagBits } from '@parley/store';

import { hasFlag } from './model.ts';
import type { ModelMessage } from './model.ts';

/** The flags that a user sees on a message, as bits. */
export function expectedBits(message: ModelMessage, user: number): number {
  const row = message.rows.get(user);
  if (row === undefined) return flagBits.read | flagBits.historical;
  const bits = [
    flagBits.starred,
    flagBits.mentioned,
    flagBits.wildcard_mentioned,
    flagBits.has_alert_word,
    flagBits.historical,
  ].filter((bit) => hasFlag(message, user, bit));
  return bits.reduce((all, bit) => all | bit, row.read ? flagBits.read : 0);
}
