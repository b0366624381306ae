import type { RenderData } from '@parley/markdown';
import { emojiUrl } from '@parley/store/objects';
import type { NamedInMessage, SendRealm } from '@parley/store';

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
