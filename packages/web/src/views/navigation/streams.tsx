import { useComputed, useSignal } from '@preact/signals';

import type { App } from '../../data/app.ts';
import { conversationKey, streamIdOf, streamNarrow, topicNarrow } from '../../data/narrow.ts';
import { topicKey } from '../../data/state.ts';
import { groupStreams } from '../../data/stream-groups.ts';
import type { ListedStream } from '../../data/stream-groups.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { StreamMark } from '../parts/stream-mark.tsx';
import { PlaceLink } from './place-link.tsx';

const topicsShownAtFirst = 5;
const topicsShownMax = 100;

/** The person's streams: pinned ones, usual ones, and those that are muted or inactive. */
export function Streams({ app }: { readonly app: App }) {
  const groups = useComputed(() => {
    const lastTimestamps = new Map<number, number>();
    for (const { conversation, lastTimestamp } of app.recent.conversations.value)
      if (conversation.type === 'stream' && !lastTimestamps.has(conversation.streamId))
        lastTimestamps.set(conversation.streamId, lastTimestamp);
    return groupStreams(app.state, lastTimestamps, Date.now() / 1_000);
  });
  const { pinned, usual, quiet } = groups.value;
  return (
    <section aria-label={texts.navigation.streams}>
      <h2>
        <a href={app.addressOf({ view: 'streams', streamId: undefined })}>
          {texts.navigation.streams}
        </a>
        <a
          class="plain"
          href={app.addressOf({ view: 'streams', streamId: undefined })}
          aria-label={texts.navigation.browseStreams}
          title={texts.navigation.browseStreams}
        >
          <Icon name="plus" />
        </a>
      </h2>
      <StreamList app={app} streams={pinned} />
      <StreamList app={app} streams={usual} />
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
  if (streams.length === 0) return null;
  return (
    <ul>
      {streams.map(({ stream, unreadCount }) => (
        <li key={stream.stream_id}>
          <PlaceLink
            app={app}
            place={{ view: 'messages', narrow: streamNarrow(stream.stream_id), near: undefined }}
            count={unreadCount}
            isQuiet={stream.is_muted}
          >
            <StreamMark stream={stream} />
            <span class="name">{stream.name}</span>
          </PlaceLink>
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
  const unread = state.unreadConversations.value;
  const listed = topics.map(({ name }, index) => {
    const conversation = { type: 'stream', streamId, topic: name } as const;
    const count = unread.get(conversationKey(conversation))?.ids.size ?? 0;
    const isMuted = state.mutedTopics.value.has(topicKey(streamId, name));
    return { name, count, isMuted, isFirst: index < topicsShownAtFirst };
  });
  const shown = showsAll.value
    ? listed
    : listed.filter(({ isFirst, isMuted, count }) => isFirst || (count > 0 && !isMuted));
  return (
    <ul class="topics" aria-label={texts.navigation.topicsOf(streamName)}>
      {shown.map(({ name, count, isMuted }) => (
        <li key={name.toLowerCase()}>
          <PlaceLink
            app={app}
            place={{ view: 'messages', narrow: topicNarrow(streamId, name), near: undefined }}
            count={count}
            isQuiet={isMuted}
          >
            <span class="name">{name === '' ? texts.compose.noTopic : name}</span>
          </PlaceLink>
        </li>
      ))}
      {listed.length > shown.length && (
        <li>
          <button
            type="button"
            class="plain more"
            onClick={() => {
              showsAll.value = true;
            }}
          >
            {texts.navigation.moreTopics(listed.length - shown.length)}
          </button>
        </li>
      )}
    </ul>
  );
}
