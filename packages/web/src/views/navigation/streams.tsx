import { useComputed } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { isSameConversation, streamNarrow, topicNarrow } from '../../data/narrow.ts';
import { conversationAt, streamIdAt } from '../../data/place.ts';
import type { Stream } from '../../data/state.ts';
import { countUnreadIn, groupStreams } from '../../data/stream-groups.ts';
import type { ListedStream } from '../../data/stream-groups.ts';
import { isTopicMuted } from '../../data/unread.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { topicName } from '../parts/names.ts';
import { StreamMark } from '../parts/stream-path.tsx';
import { PlaceList } from './place-list.tsx';

const t = texts.navigation;

const topicsAtFirst = 5;
const topicsMax = 100;

/** The person's streams: pinned ones first, and apart those that are muted or inactive. */
export function Streams({ app }: { readonly app: App }) {
  const { shown, quiet } = useComputed(() => {
    const lastTimestamps = new Map<number, number>();
    for (const { conversation, lastTimestamp } of app.recent.value)
      if (conversation.type === 'stream' && !lastTimestamps.has(conversation.streamId))
        lastTimestamps.set(conversation.streamId, lastTimestamp);
    return groupStreams(app.state, lastTimestamps, Date.now() / 1_000);
  }).value;
  return (
    <section aria-label={t.streams}>
      <h2>
        {t.streams}
        <a
          href={app.addressOf({ view: 'streams', streamId: undefined })}
          aria-label={t.browseStreams}
          title={t.browseStreams}
        >
          <Icon name="plus" />
        </a>
      </h2>
      <ForeignStream app={app} />
      <StreamList app={app} streams={shown} />
      {shown.length + quiet.length === 0 && (
        <p class="hint">
          <a href={app.addressOf({ view: 'streams', streamId: undefined })}>{t.noStreams}</a>
        </p>
      )}
      {quiet.length > 0 && (
        <details open={quiet.some(({ stream }) => stream.stream_id === openStreamOf(app))}>
          <summary>{t.quietStreams(quiet.length)}</summary>
          <StreamList app={app} streams={quiet} />
        </details>
      )}
    </section>
  );
}

function openStreamOf({ place }: App): number | undefined {
  return streamIdAt(place.value);
}

/** The stream that is shown, if the person does not subscribe to it. */
function ForeignStream({ app }: { readonly app: App }) {
  const streamId = openStreamOf(app) ?? 0;
  const { streams, subscriptions } = app.state;
  const stream = subscriptions.value.has(streamId) ? undefined : streams.value.get(streamId);
  if (stream === undefined) return null;
  const entry = {
    place: { view: 'messages', narrow: streamNarrow(streamId) } as const,
    mark: <StreamMark stream={stream} />,
    name: stream.name,
    isQuiet: true,
    below: <TopicList app={app} stream={stream} />,
  };
  return <PlaceList app={app} entries={[entry]} />;
}

type StreamListProps = { readonly app: App; readonly streams: readonly ListedStream[] };

function StreamList({ app, streams }: StreamListProps) {
  const openStreamId = openStreamOf(app);
  const entries = streams.map(({ stream, unreadCount }) => ({
    place: { view: 'messages', narrow: streamNarrow(stream.stream_id) } as const,
    mark: <StreamMark stream={stream} />,
    name: stream.name,
    count: unreadCount,
    isQuiet: stream.is_muted,
    below: openStreamId === stream.stream_id && <TopicList app={app} stream={stream} />,
  }));
  return <PlaceList app={app} entries={entries} />;
}

type TopicListProps = { readonly app: App; readonly stream: Stream };

function TopicList({ app, stream: { stream_id: streamId, name } }: TopicListProps) {
  const known = app.topics.of(streamId).value;
  const topics = known.slice(0, topicsMax);
  const shown = conversationAt(app.place.value);
  const isListed = topics.some((topic) =>
    isSameConversation(shown, { type: 'stream', streamId, topic }),
  );
  const entries = [...(shown?.type === 'stream' && !isListed ? [shown.topic] : []), ...topics].map(
    (topic) => ({
      place: { view: 'messages', narrow: topicNarrow(streamId, topic) } as const,
      name: topicName(topic),
      count: countUnreadIn(app.state, { type: 'stream', streamId, topic }),
      isQuiet: isTopicMuted(app.state, streamId, topic),
    }),
  );
  return (
    <PlaceList
      // Once the topics are there, the current one is scrolled to again.
      key={known.length > 0}
      app={app}
      entries={entries}
      shownAtFirst={topicsAtFirst}
      label={t.topicsOf(name)}
    />
  );
}
