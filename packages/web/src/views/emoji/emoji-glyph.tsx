import type { App } from '../../data/app.ts';
import { glyphOf } from '../../data/emoji.ts';
import type { Emoji } from '../../data/emoji.ts';

/** An emoji as the platform draws it, or its picture; what it is called is said by what contains it. */
export function EmojiGlyph({ app, emoji }: { readonly app: App; readonly emoji: Emoji }) {
  const glyph = glyphOf(emoji, app.state.realm.value);
  if ('character' in glyph) return <span aria-hidden="true">{glyph.character}</span>;
  return glyph.pictureUrl === undefined ? (
    <span>{`:${emoji.emoji_name}:`}</span>
  ) : (
    <img class="emoji-picture" src={glyph.pictureUrl} alt="" />
  );
}
