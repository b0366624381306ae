import type { App } from '../../data/app.ts';
import { streamNarrow, topicNarrow } from '../../data/narrow.ts';
import type { State, Stream, Subscription } from '../../data/state.ts';
import { Icon } from '../icon.tsx';
import { streamName, topicName } from './names.ts';
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
  /** The message of the topic that its link leads to. */
  readonly near?: number | undefined;
  /** The topic with marked words, as the server has it for what a search found. */
  readonly topicHtml?: string | undefined;
};

/** A stream, and maybe one of its topics, as links to them. */
export function StreamPath({ app, streamId, topic, near, topicHtml }: StreamPathProps) {
  const stream = findStream(app.state, streamId);
  return (
    <>
      {stream !== undefined && <StreamMark stream={stream} />}
      <a
        class="line"
        href={app.addressOf({ view: 'messages', narrow: streamNarrow(streamId) })}
        dir="auto"
      >
        {streamName(app.state, streamId)}
      </a>
      {topic !== undefined && (
        <>
          {' '}
          <Icon name="chevron-right" />{' '}
          <a
            class="line"
            href={app.addressOf({ view: 'messages', narrow: topicNarrow(streamId, topic), near })}
            dir="auto"
          >
            {topicHtml === undefined ? topicName(topic) : <RenderedHtml html={topicHtml} inline />}
          </a>
        </>
      )}
    </>
  );
}
