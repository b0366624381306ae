import { foldName } from '@parley/contracts';
import type { Queryable } from '@parley/database';
import { mentionCandidates } from '@parley/markdown';
import type { RenderContext } from '@parley/markdown';
import { findNamedInMessage } from '@parley/store';
import type { NamedInMessage, SendRealm, SendSender } from '@parley/store';

const nobody: NamedInMessage = { users: [], groups: [], streams: [], emoji: [] };

// The syntax of emoji names (reference facts, people 11.1).
const emojiName = /:([0-9a-z.\-_]+)(?=:)/g;

/**
 * Looks up what a message names; a message that names nothing costs no statement.
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

/** The one organization of a database. */
const realmId = 1;

/** Makes what rendering asks of the names that were found. */
export function renderContextOf(
  realmUri: string,
  realm: SendRealm,
  sender: SendSender,
  named: NamedInMessage,
): RenderContext {
  const usersByName = Map.groupBy(named.users, (user) => foldName(user.fullName));
  const usersById = new Map(named.users.map((user) => [user.id, user]));
  const usersByEmail = new Map(named.users.map((user) => [foldName(user.email), user]));
  const groups = new Map(named.groups.map((group) => [group.name, group]));
  const streams = new Map(named.streams.map((stream) => [stream.name, stream]));
  const emoji = new Map(
    named.emoji.map((found) => [
      found.name,
      { id: String(found.id), url: `/user_avatars/${realmId}/emoji/images/${found.fileName}` },
    ]),
  );
  return {
    realmUri,
    usersByName: (name) => usersByName.get(foldName(name)) ?? [],
    userById: (id) => usersById.get(id),
    userByEmail: (email) => usersByEmail.get(foldName(email)),
    groupByName: (name) => groups.get(name),
    streamByName: (name) => streams.get(name),
    realmEmoji: (name) => emoji.get(name),
    linkifiers: realm.linkifiers,
    settings: {
      inlineImagePreview: realm.inlineImagePreview,
      translateEmoticons: sender.translateEmoticons,
    },
  };
}
