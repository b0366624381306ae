import type { App } from '../../data/app.ts';
import { emojiKey } from '../../data/emoji.ts';
import { countReactions, toggleReaction } from '../../data/message-actions.ts';
import type { ReactionCount } from '../../data/message-actions.ts';
import { report } from '../../data/notices.ts';
import type { Message, State } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { EmojiGlyph } from '../emoji/emoji-glyph.tsx';
import { nameOf } from '../parts/names.ts';

/** People named of one reaction; of others there is a number. */
const namesMax = 10;

/** Who reacted with what. */
function describe(state: State, { emoji_name, userIds }: ReactionCount): string {
  const selfId = state.self.value.user_id;
  const names = userIds
    .slice(0, namesMax)
    .map((id) => (id === selfId ? texts.reactions.you : nameOf(state, id)));
  const all = texts.reactions.names(names.join(', '), userIds.length - names.length);
  return texts.reactions.by(emoji_name.replaceAll('_', ' '), all);
}

/** The reactions of a message: who reacted how, and one press for joining in. Nothing if there are none. */
export function Reactions({ app, message }: { readonly app: App; readonly message: Message }) {
  if (message.reactions.length === 0) return null;
  return (
    <div class="reactions" role="group" aria-label={texts.reactions.label}>
      {countReactions(message.reactions).map((count) => (
        <button
          key={emojiKey(count)}
          type="button"
          class="reaction"
          aria-pressed={count.userIds.includes(app.state.self.value.user_id)}
          title={describe(app.state, count)}
          onClick={() => report(toggleReaction(app, message, count))}
        >
          <EmojiGlyph app={app} emoji={count} />
          <span class="visually-hidden">{describe(app.state, count)}</span>{' '}
          <span>{count.userIds.length}</span>
        </button>
      ))}
      <EmojiButton
        app={app}
        label={texts.reactions.add}
        onChoose={(emoji) => report(toggleReaction(app, message, emoji))}
      />
    </div>
  );
}
