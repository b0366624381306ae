import { extraEmojiPath } from '@parley/api/extra-emoji';

import type { App } from '../../data/app.ts';
import { characterOf } from '../../data/emoji.ts';
import type { Emoji } from '../../data/emoji.ts';

/** An emoji as the platform draws it, or its picture; what it is called is said by what contains it. */
export function EmojiGlyph({ app, emoji }: { readonly app: App; readonly emoji: Emoji }) {
  const { emoji_name, emoji_code, reaction_type } = emoji;
  if (reaction_type === 'unicode_emoji')
    return <span aria-hidden="true">{characterOf(emoji_code)}</span>;
  const picture =
    reaction_type === 'realm_emoji'
      ? app.state.realm.value.realm_emoji[emoji_code]?.source_url
      : extraEmojiPath;
  return picture === undefined ? (
    <span>{`:${emoji_name}:`}</span>
  ) : (
    <img class="emoji-picture" src={picture} alt="" />
  );
}
