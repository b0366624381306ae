import { foldName } from '@parley/api';
import type { Linkifier, RenderContext } from '@parley/markdown';
import { emojiUrl } from '@parley/objects';
import type { NamedInMessage, SendRealm } from '@parley/store';

/** Everything that a message may refer to, as plain data that can be passed to another thread. */
export type RenderData = {
  readonly realmUri: string;
  readonly users: readonly {
    readonly id: number;
    readonly fullName: string;
    readonly email: string;
  }[];
  readonly groups: readonly { readonly id: number; readonly name: string }[];
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  readonly emoji: readonly { readonly id: string; readonly name: string; readonly url: string }[];
  readonly linkifiers: readonly Linkifier[];
  readonly inlineImagePreview: boolean;
  readonly translateEmoticons: boolean;
};

/**
 * Makes the data of one rendering.
 *
 * @param named the named objects that the author may refer to; all other names stay text
 */
export function renderDataOf(
  realmUri: string,
  realm: SendRealm,
  author: { readonly translateEmoticons: boolean },
  named: NamedInMessage,
): RenderData {
  return {
    realmUri,
    users: named.users.map(({ id, fullName, email }) => ({ id, fullName, email })),
    // Without the members, who may be many and whom the renderer does not need.
    groups: named.groups.map(({ id, name }) => ({ id, name })),
    streams: named.streams,
    emoji: named.emoji.map(({ id, name, fileName }) => ({
      id: String(id),
      name,
      url: emojiUrl(fileName),
    })),
    linkifiers: realm.linkifiers,
    inlineImagePreview: realm.inlineImagePreview,
    translateEmoticons: author.translateEmoticons,
  };
}

/** Makes the renderer's context from the data. */
export function contextOfData(data: RenderData): RenderContext {
  const usersByName = Map.groupBy(data.users, (user) => foldName(user.fullName));
  const usersById = new Map(data.users.map((user) => [user.id, user]));
  const usersByEmail = new Map(data.users.map((user) => [foldName(user.email), user]));
  const groups = new Map(data.groups.map((group) => [group.name, group]));
  const streams = new Map(data.streams.map((stream) => [stream.name, stream]));
  const emoji = new Map(data.emoji.map((found) => [found.name, found]));
  return {
    realmUri: data.realmUri,
    usersByName: (name) => usersByName.get(foldName(name)) ?? [],
    userById: (id) => usersById.get(id),
    userByEmail: (email) => usersByEmail.get(foldName(email)),
    hasWildcards: true,
    groupByName: (name) => groups.get(name),
    streamByName: (name) => streams.get(name),
    realmEmoji: (name) => emoji.get(name),
    linkifiers: data.linkifiers,
    settings: {
      inlineImagePreview: data.inlineImagePreview,
      translateEmoticons: data.translateEmoticons,
    },
  };
}
