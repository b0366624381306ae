import type { App } from '../../data/app.ts';
import { conversationKey, conversationOf, streamIdOf } from '../../data/narrow.ts';
import type { Conversation, Narrow } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { Avatar } from '../parts/avatar.tsx';

function isIn(narrow: Narrow, conversation: Conversation): boolean {
  const shown = conversationOf(narrow);
  if (shown !== undefined) return conversationKey(shown) === conversationKey(conversation);
  if (narrow.length === 0) return true;
  return (
    narrow.length === 1 &&
    conversation.type === 'stream' &&
    streamIdOf(narrow) === conversation.streamId
  );
}

/** The own messages on their way, where they are going to stand. */
export function PendingMessages({ app, narrow }: { readonly app: App; readonly narrow: Narrow }) {
  const self = app.state.self.value;
  const shown = app.outbox.pending.value.filter(
    ({ conversation, state }) => state === 'sending' && isIn(narrow, conversation),
  );
  return shown.map(({ localId, content }) => (
    <article key={localId} class="message" data-pending="true" data-shows-sender="true">
      <span class="side">
        <Avatar person={self} size={36} />
      </span>
      <div class="body">
        <header>
          <strong class="sender">{self.full_name}</strong>
        </header>
        <p class="content unrendered">{content}</p>
      </div>
      <small>{texts.messages.sending}</small>
    </article>
  ));
}
