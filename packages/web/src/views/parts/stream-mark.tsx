import type { State, Stream, Subscription } from '../../data/state.ts';
import { Icon } from '../icon.tsx';

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
