import type { App } from '../../data/app.ts';
import { streamNarrow, topicNarrow } from '../../data/narrow.ts';
import type { State, Stream, Subscription } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { Icon } from '../icon.tsx';
import { topicName } from './names.ts';
import { RenderedHtml } from './rendered-html.tsx';

/** @returns with what the person set for it, if they subscribe to it */
export function findStream({ subscriptions, streams }: State, streamId: number) {
  return subscriptions.value.get(streamId) ?? streams.value.get(streamId);
}

/** The sign before a stream's name, in the person's colour of it. */
export function StreamMark({ stream }: { readonly stream: Stream | Subscription }) {
  return (
    <span
      class="stream-mark"
      aria-hidden="true"
      style={{ '--stream-color': 'color' in stream ? stream.color : 'currentColor' }}
    >
      <Icon name={stream.invite_only ? 'lock' : 'hash'} />
    </span>
  );
}

type StreamPathProps = {
  readonly app: App;
  readonly streamId: number;
  readonly topic?: string | undefined;
  /** The topic with marked words, as the server has it for what a search found. */
  readonly topicHtml?: string | undefined;
};

/** A stream, and maybe one of its topics, as links to them. */
export function StreamPath({ app, streamId, topic, topicHtml }: StreamPathProps) {
  const stream = findStream(app.state, streamId);
  return (
    <>
      {stream !== undefined && <StreamMark stream={stream} />}
      <a
        class="line"
        href={app.addressOf({ view: 'messages', narrow: streamNarrow(streamId) })}
        dir="auto"
      >
        {stream?.name ?? texts.messages.unknownStream}
      </a>
      {topic !== undefined && (
        <>
          {' '}
          <Icon name="chevron-right" />{' '}
          <a
            href={app.addressOf({ view: 'messages', narrow: topicNarrow(streamId, topic) })}
            dir="auto"
          >
            {topicHtml === undefined ? topicName(topic) : <RenderedHtml html={topicHtml} inline />}
          </a>
        </>
      )}
    </>
  );
}
