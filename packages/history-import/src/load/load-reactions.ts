import type { Client } from '@parley/database';
import { extraEmoji } from '@parley/markdown';
import { findMessageNumbers, insertImportedReactions } from '@parley/store/imports';
import type { ImportedReaction } from '@parley/store/imports';

import type { Ledger, Place } from '../ledger.ts';
import type { ReactionRecord } from '../records.ts';
import type { LoadedExtras } from './load-extras.ts';
import type { LoadedDirectory } from './loaded-directory.ts';

/** Writes reactions, whose messages are there. */
export async function writeReactions(
  client: Client,
  reactions: readonly ReactionRecord[],
  loaded: { readonly directory: LoadedDirectory; readonly ledger: Ledger; readonly kind: string },
): Promise<void> {
  const { directory, ledger, kind } = loaded;
  const numbers = await findMessageNumbers(client, [
    ...new Set(reactions.map(({ messageKey }) => messageKey)),
  ]);
  const found: ImportedReaction[] = [];
  const places: Place[] = [];
  for (const { place, messageKey, person, emoji, reactedAt } of reactions) {
    const messageId = numbers.get(messageKey)?.id;
    const user = directory.people.users[person];
    const shown = shownEmoji(emoji, directory.extras);
    if (messageId === undefined || user === undefined)
      ledger.skipped(kind, 'its message was not imported', place);
    else if (shown === undefined) ledger.skipped(kind, 'its emoji was not imported', place);
    else {
      found.push({ messageId, userId: user.id, ...shown, reactedAt });
      places.push(place);
    }
  }
  const { written, missing } = await insertImportedReactions(client, found);
  ledger.imported(kind, written.size);
  for (const [n, place] of places.entries())
    if (missing.has(n)) ledger.skipped(kind, 'its message was not imported', place);
    else if (!written.has(n))
      ledger.merged(kind, 'the person has reacted with this emoji before', place);
}

function shownEmoji(
  emoji: ReactionRecord['emoji'],
  { emoji: loaded }: LoadedExtras,
): Pick<ImportedReaction, 'name' | 'code' | 'type'> | undefined {
  switch (emoji.kind) {
    case 'unicode':
      return { name: emoji.name, code: emoji.code, type: 'unicode_emoji' };
    case 'extra':
      return { name: extraEmoji.name, code: extraEmoji.code, type: 'zulip_extra_emoji' };
    case 'custom': {
      const found = loaded[emoji.emoji];
      return found && { name: found.name, code: String(found.id), type: 'realm_emoji' };
    }
  }
}
