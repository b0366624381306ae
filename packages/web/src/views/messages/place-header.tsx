import type { App } from '../../data/app.ts';
import { toggleTopicMute } from '../../data/message-actions.ts';
import { report } from '../../data/notices.ts';
import { conversationOf, streamIdOf, streamNarrow } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { topicKey } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { StreamMark } from '../parts/stream-mark.tsx';

const namedViews: Readonly<Record<string, string>> = {
  '': texts.navigation.all,
  'is mentioned': texts.navigation.mentions,
  'is starred': texts.navigation.starred,
  'is private': texts.navigation.private,
};

function titleOf(app: App, narrow: Narrow): string {
  const conversation = conversationOf(narrow);
  if (conversation?.type === 'private')
    return conversation.userIds
      .map((id) => app.state.people.value.get(id)?.full_name ?? texts.compose.unknownPerson)
      .join(', ');
  const words = narrow.map(
    ({ operator, operand, negated }) =>
      `${negated === true ? '-' : ''}${operator} ${typeof operand === 'object' ? operand.join(',') : operand}`,
  );
  return namedViews[words.join(' ')] ?? texts.messages.search(words.join(' '));
}

/** What the messages below are, and what can be done with all of them. */
export function PlaceHeader({ app, narrow }: { readonly app: App; readonly narrow: Narrow }) {
  const streamId = streamIdOf(narrow);
  const stream =
    streamId === undefined
      ? undefined
      : (app.state.subscriptions.value.get(streamId) ?? app.state.streams.value.get(streamId));
  const conversation = conversationOf(narrow);
  const isOfStream = stream !== undefined && (narrow.length === 1 || conversation !== undefined);
  return (
    <header class="place-header">
      <h1>
        {isOfStream ? (
          <>
            <StreamMark stream={stream} />
            <a
              href={app.addressOf({
                view: 'messages',
                narrow: streamNarrow(stream.stream_id),
                near: undefined,
              })}
            >
              {stream.name}
            </a>
            {conversation?.type === 'stream' && (
              <>
                <Icon name="chevron-right" />
                <span>
                  {conversation.topic === '' ? texts.compose.noTopic : conversation.topic}
                </span>
              </>
            )}
          </>
        ) : (
          titleOf(app, narrow)
        )}
      </h1>
      {isOfStream && conversation === undefined && <p>{stream.description}</p>}
      <Menu
        label={texts.messages.placeActions}
        items={() => [
          {
            label: texts.messages.markRead,
            onSelect: () => report(app.reading.markNarrowRead(narrow)),
          },
          ...(conversation?.type === 'stream'
            ? [
                {
                  label: app.state.mutedTopics.value.has(
                    topicKey(conversation.streamId, conversation.topic),
                  )
                    ? texts.actions.unmuteTopic
                    : texts.actions.muteTopic,
                  onSelect: () =>
                    report(toggleTopicMute(app, conversation.streamId, conversation.topic)),
                },
              ]
            : []),
          ...(isOfStream
            ? [
                {
                  label: texts.messages.streamSettings,
                  onSelect: () => app.navigate({ view: 'streams', streamId: stream.stream_id }),
                },
              ]
            : []),
        ]}
      >
        <Icon name="more" />
      </Menu>
    </header>
  );
}
