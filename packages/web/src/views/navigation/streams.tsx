import { useComputed } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { streamIdOf, streamNarrow, topicNarrow } from '../../data/narrow.ts';
import { countUnreadIn, groupStreams, isTopicMuted } from '../../data/stream-groups.ts';
import type { ListedStream } from '../../data/stream-groups.ts';
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
      <StreamList app={app} streams={shown} />
      {shown.length + quiet.length === 0 && (
        <p class="hint">
          <a href={app.addressOf({ view: 'streams', streamId: undefined })}>{t.noStreams}</a>
        </p>
      )}
      {quiet.length > 0 && (
        <details>
          <summary>{t.quietStreams(quiet.length)}</summary>
          <StreamList app={app} streams={quiet} />
        </details>
      )}
    </section>
  );
}

type StreamListProps = { readonly app: App; readonly streams: readonly ListedStream[] };

function StreamList({ app, streams }: StreamListProps) {
  const place = app.place.value;
  const openStreamId = place.view === 'messages' ? streamIdOf(place.narrow) : undefined;
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

type TopicListProps = { readonly app: App; readonly stream: ListedStream['stream'] };

function TopicList({ app, stream: { stream_id: streamId, name } }: TopicListProps) {
  const topics = app.topics.of(streamId).value.slice(0, topicsMax);
  const entries = topics.map((topic) => ({
    place: { view: 'messages', narrow: topicNarrow(streamId, topic) } as const,
    name: topicName(topic),
    count: countUnreadIn(app.state, { type: 'stream', streamId, topic }),
    isQuiet: isTopicMuted(app.state, streamId, topic),
  }));
  return (
    <PlaceList app={app} entries={entries} shownAtFirst={topicsAtFirst} label={t.topicsOf(name)} />
  );
}
