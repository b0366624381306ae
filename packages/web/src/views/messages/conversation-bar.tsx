import type { App } from '../../data/app.ts';
import { narrowOf, streamNarrow } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { StreamMark } from '../parts/stream-mark.tsx';

/** Above the messages of a conversation, where several are shown: it leads there. */
export function ConversationBar({
  app,
  conversation,
}: {
  readonly app: App;
  readonly conversation: Conversation;
}) {
  const addressOf = (narrow: ReturnType<typeof narrowOf>): string =>
    app.addressOf({ view: 'messages', narrow, near: undefined });
  if (conversation.type === 'private') {
    const names = conversation.userIds.map(
      (id) => app.state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson,
    );
    return (
      <h2 class="conversation-bar">
        <Icon name="private" />
        <a href={addressOf(narrowOf(conversation))}>{texts.messages.youAnd(names.join(', '))}</a>
      </h2>
    );
  }
  const { streamId, topic } = conversation;
  const stream =
    app.state.subscriptions.value.get(streamId) ?? app.state.streams.value.get(streamId);
  return (
    <h2 class="conversation-bar">
      {stream !== undefined && <StreamMark stream={stream} />}
      <a href={addressOf(streamNarrow(streamId))}>{stream?.name ?? texts.messages.unknownStream}</a>
      <Icon name="chevron-right" />
      <a href={addressOf(narrowOf(conversation))}>{topic === '' ? texts.compose.noTopic : topic}</a>
    </h2>
  );
}
