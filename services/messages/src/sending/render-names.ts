import type { Queryable } from '@parley/database';
import { mentionCandidates } from '@parley/markdown';
import { findNamedInMessage } from '@parley/store';
import type { NamedInMessage } from '@parley/store';

const nobody: NamedInMessage = { users: [], groups: [], streams: [], emoji: [] };

// The syntax of emoji names (reference facts, people 11.1).
const emojiName = /:([0-9a-z.\-_]+)(?=:)/g;

/**
 * Looks up the names in a message; a message without names costs no statement.
 *
 * @param content as it will be stored
 */
export async function findNames(
  db: Queryable,
  senderId: number,
  content: string,
): Promise<NamedInMessage> {
  const { names, ids, groupNames, streamNames, emails } = mentionCandidates(content);
  const emojiNames = [
    ...new Set(Array.from(content.matchAll(emojiName), (match) => match[1] ?? '')),
  ];
  const isNamed = [names, ids, groupNames, streamNames, emails, emojiNames].some(
    (list) => list.length > 0,
  );
  if (!isNamed) return nobody;
  return findNamedInMessage(db, senderId, {
    names,
    userIds: ids,
    groupNames,
    streamNames,
    emails,
    emojiNames,
  });
}
