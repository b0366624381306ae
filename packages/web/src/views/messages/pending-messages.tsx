import type { App } from '../../data/app.ts';
import { conversationOf, isSameConversation, streamIdOf } from '../../data/narrow.ts';
import type { Conversation, Narrow } from '../../data/narrow.ts';
import { isRepeated } from '../../data/outbox.ts';
import type { Outgoing } from '../../data/outbox.ts';
import { texts } from '../../texts.ts';
import { Avatar } from '../parts/avatar.tsx';

function isIn(narrow: Narrow, conversation: Conversation): boolean {
  const shown = conversationOf(narrow);
  if (shown !== undefined) return isSameConversation(shown, conversation);
  const isInStream = conversation.type === 'stream' && streamIdOf(narrow) === conversation.streamId;
  return narrow.length === 0 || (narrow.length === 1 && isInStream);
}

/** Whether there is something for the person to decide: what waits for the network alone is sent by itself. */
export function hasFailed({ connection }: App, outgoing: Outgoing): boolean {
  const isWaiting = connection.value === 'offline' && isRepeated(outgoing);
  return outgoing.failure !== undefined && !isWaiting;
}

/** @returns the own messages that are on their way into what a narrow shows */
export function pendingIn(app: App, narrow: Narrow): readonly Outgoing[] {
  return app.outbox.pending.value.filter(
    (outgoing) => !hasFailed(app, outgoing) && isIn(narrow, outgoing.conversation),
  );
}

/** The own messages on their way, where they are going to stand. */
export function PendingMessages({ app, narrow }: { readonly app: App; readonly narrow: Narrow }) {
  const self = app.state.self.value;
  const { sending, sentWhenBack } = texts.messages;
  return pendingIn(app, narrow).map(({ localId, content }) => (
    <article key={localId} class="message" data-pending="true" data-shows-sender="true">
      <span class="side">
        <Avatar person={self} size={36} />
      </span>
      <div class="body">
        <strong class="sender">{self.full_name}</strong>
        <small>{app.connection.value === 'offline' ? sentWhenBack : sending}</small>
        <p class="content unrendered">{content}</p>
      </div>
    </article>
  ));
}
