import { useComputed, useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationKey, streamIdOf, streamNarrow, topicNarrow } from '../../data/narrow.ts';
import { topicKey } from '../../data/state.ts';
import { groupStreams } from '../../data/stream-groups.ts';
import type { ListedStream } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { topicName } from '../parts/names.ts';
import { StreamMark } from '../parts/stream-mark.tsx';
import { PlaceLink } from './place-link.tsx';

const topicsShownAtFirst = 5;
const topicsShownMax = 100;

/** The person's streams: pinned ones, usual ones, and those that are muted or inactive. */
export function Streams({ app }: { readonly app: App }) {
  const { pinned, usual, quiet } = useComputed(() => {
    const lastTimestamps = new Map<number, number>();
    for (const { conversation, lastTimestamp } of app.recent.conversations.value)
      if (conversation.type === 'stream' && !lastTimestamps.has(conversation.streamId))
        lastTimestamps.set(conversation.streamId, lastTimestamp);
    return groupStreams(app.state, lastTimestamps, Date.now() / 1_000);
  }).value;
  return (
    <section aria-label={texts.navigation.streams}>
      <h2>
        {texts.navigation.streams}
        <a
          href={app.addressOf({ view: 'streams', streamId: undefined })}
          aria-label={texts.navigation.browseStreams}
          title={texts.navigation.browseStreams}
        >
          <Icon name="plus" />
        </a>
      </h2>
      <StreamList app={app} streams={[...pinned, ...usual]} />
      {quiet.length > 0 && (
        <details>
          <summary>{texts.navigation.quietStreams(quiet.length)}</summary>
          <StreamList app={app} streams={quiet} />
        </details>
      )}
    </section>
  );
}

function StreamList({
  app,
  streams,
}: {
  readonly app: App;
  readonly streams: readonly ListedStream[];
}) {
  const place = app.place.value;
  const openStreamId = place.view === 'messages' ? streamIdOf(place.narrow) : undefined;
  return (
    <ul>
      {streams.map(({ stream, unreadCount }) => (
        <li key={stream.stream_id}>
          <PlaceLink
            app={app}
            place={{ view: 'messages', narrow: streamNarrow(stream.stream_id) }}
            mark={<StreamMark stream={stream} />}
            name={stream.name}
            count={unreadCount}
            isQuiet={stream.is_muted}
          />
          {openStreamId === stream.stream_id && (
            <TopicList app={app} streamId={stream.stream_id} streamName={stream.name} />
          )}
        </li>
      ))}
    </ul>
  );
}

function TopicList({
  app,
  streamId,
  streamName,
}: {
  readonly app: App;
  readonly streamId: number;
  readonly streamName: string;
}) {
  const { state } = app;
  const showsAll = useSignal(false);
  const topics = app.topics.of(streamId).value.slice(0, topicsShownMax);
  const shown = topics
    .map(({ name: topic }) => ({
      topic,
      count:
        state.unreadConversations.value.get(conversationKey({ type: 'stream', streamId, topic }))
          ?.ids.size ?? 0,
      isMuted: state.mutedTopics.value.has(topicKey(streamId, topic)),
    }))
    .filter(
      ({ count, isMuted }, index) =>
        showsAll.value || index < topicsShownAtFirst || (count > 0 && !isMuted),
    );
  return (
    <ul class="topics" aria-label={texts.navigation.topicsOf(streamName)}>
      {shown.map(({ topic, count, isMuted }) => (
        <li key={topic.toLowerCase()}>
          <PlaceLink
            app={app}
            place={{ view: 'messages', narrow: topicNarrow(streamId, topic) }}
            name={topicName(topic)}
            count={count}
            isQuiet={isMuted}
          />
        </li>
      ))}
      {topics.length > shown.length && (
        <li>
          <button
            type="button"
            class="plain more"
            onClick={() => {
              showsAll.value = true;
            }}
          >
            {texts.navigation.moreTopics(topics.length - shown.length)}
          </button>
        </li>
      )}
    </ul>
  );
}
