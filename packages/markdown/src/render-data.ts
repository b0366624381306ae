import { foldName } from '@parley/api/fold';

import type { Linkifier, RenderContext } from './render-context.ts';

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
