import type { App } from '../../data/app.ts';
import { countReactions, toggleReaction } from '../../data/message-actions.ts';
import type { ReactionCount } from '../../data/message-actions.ts';
import type { Message } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { EmojiButton } from '../emoji/emoji-button.tsx';
import { EmojiGlyph } from '../emoji/emoji-glyph.tsx';
import { report } from '../../data/notices.ts';

/** People named of one reaction; of others there is a number. */
const namesMax = 10;

function namesOf(app: App, { userIds }: ReactionCount): string {
  const selfId = app.state.self.value.user_id;
  const names = userIds
    .slice(0, namesMax)
    .map((id) =>
      id === selfId
        ? texts.reactions.you
        : (app.state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson),
    );
  return texts.reactions.names(names.join(', '), userIds.length - names.length);
}

/** The reactions of a message: who reacted how, and one press for joining in. Nothing if there are none. */
export function Reactions({ app, messageId }: { readonly app: App; readonly messageId: number }) {
  const message = app.lists.store.find(messageId)?.value;
  if (message === undefined || message.reactions.length === 0) return null;
  return (
    <div class="reactions" role="group" aria-label={texts.reactions.label}>
      {countReactions(message.reactions).map((count) => (
        <ReactionButton
          key={`${count.reaction_type} ${count.emoji_code}`}
          app={app}
          message={message}
          count={count}
        />
      ))}
      <EmojiButton
        app={app}
        label={texts.reactions.add}
        onChoose={(emoji) => report(toggleReaction(app, message, emoji))}
      />
    </div>
  );
}

function ReactionButton({
  app,
  message,
  count,
}: {
  readonly app: App;
  readonly message: Message;
  readonly count: ReactionCount;
}) {
  const label = texts.reactions.by(count.emoji_name.replaceAll('_', ' '), namesOf(app, count));
  return (
    <button
      type="button"
      class="reaction"
      aria-pressed={count.userIds.includes(app.state.self.value.user_id)}
      aria-label={label}
      title={label}
      onClick={() => report(toggleReaction(app, message, count))}
    >
      <EmojiGlyph app={app} emoji={count} /> <span>{count.userIds.length}</span>
    </button>
  );
}
