import { mentions, streamIdOf } from '../narrow.ts';
import { byId, mutedTopicKeys, withoutSubscribers } from '../state.ts';
import type { State } from '../state.ts';
import { mentionOf } from '../unread.ts';
import { changeIn, putIn, removeFrom } from './change.ts';
import type { Kept, Reducers } from './reducer.ts';

/** Changes a stream wherever the state has it. */
function changeStream({ streams, subscriptions }: State, streamId: number, change: object): void {
  changeIn(streams, [streamId], (stream) => ({ ...stream, ...change }));
  changeIn(subscriptions, [streamId], (stream) => ({ ...stream, ...change }));
}

export function noteFirstMessage(state: State, streamId: number, messageId: number): void {
  if (state.streams.peek().get(streamId)?.first_message_id === null)
    changeStream(state, streamId, { first_message_id: messageId });
}

function forgetStreams(state: State, ids: readonly number[]): void {
  removeFrom(state.streams, ids);
  removeFrom(state.subscriptions, ids);
  removeFrom(state.subscribers, ids);
  const isLeft = (streamId: number): boolean => !ids.includes(streamId);
  state.mutedTopics.value = new Set(
    [...state.mutedTopics.peek()].filter((key) => isLeft(Number.parseInt(key, 10))),
  );
  state.unread.value = new Map(
    [...state.unread.peek()].filter(
      ([, { conversation }]) => conversation.type === 'private' || isLeft(conversation.streamId),
    ),
  );
}

function changeSubscribers(
  { subscribers }: State,
  streamIds: readonly number[],
  change: (ids: ReadonlySet<number>) => ReadonlySet<number>,
): void {
  const next = new Map(subscribers.peek());
  for (const id of streamIds) next.set(id, change(next.get(id) ?? new Set()));
  subscribers.value = next;
}

/** What of a stream may be read has changed. */
function rereadStreams({ lists, topics }: Kept, ids: readonly number[]): void {
  topics.reread(ids);
  lists.refresh(({ narrow }) => ids.includes(streamIdOf(narrow) ?? Number.NaN));
}

function removeSubscriptions(kept: Kept, ids: readonly number[]): void {
  const { state } = kept;
  const { user_id, is_admin } = state.self.peek();
  removeFrom(state.subscriptions, ids);
  changeSubscribers(state, ids, (subscribers) => subscribers.difference(new Set([user_id])));
  const hidden = ids.filter((id) => state.streams.peek().get(id)?.invite_only === true);
  if (!is_admin) removeFrom(state.subscribers, hidden);
  rereadStreams(kept, ids);
}

/** What was muted has changed: whom unread messages mention there only the server knows, unless they came since the registration. */
async function rereadMentions({ state, lists }: Kept): Promise<void> {
  for (const { id, flags } of await lists.readUnread(mentions, 0, Infinity))
    changeIn(state.unread, [id], (message) => ({ ...message, mention: mentionOf(flags) }));
}

function idsOf(streams: readonly { readonly stream_id: number }[]): readonly number[] {
  return streams.map(({ stream_id }) => stream_id);
}

/** Reducers of streams, subscriptions and muted topics. */
export const streamReducers = {
  stream({ state }, event) {
    const { streams } = state;
    if (event.op === 'update') {
      const { id: _id, type: _type, op: _op, stream_id, property, value, ...more } = event;
      changeStream(state, stream_id, { ...more, [property]: value });
    } else if (event.op === 'delete') {
      putIn(
        state.formerStreams,
        event.streams.map(({ stream_id, name }) => [stream_id, name]),
      );
      forgetStreams(state, idsOf(event.streams));
    } else {
      const listed = event.streams.map((stream) => ({
        ...streams.peek().get(stream.stream_id),
        ...stream,
      }));
      putIn(streams, byId(listed));
      changeSubscribers(state, idsOf(event.streams), (ids) => ids);
    }
  },
  subscription(kept, event) {
    const { state } = kept;
    switch (event.op) {
      case 'add': {
        const { streams, subscriptions } = state;
        const added = byId(event.subscriptions.map(withoutSubscribers));
        putIn(streams, added);
        putIn(subscriptions, added);
        for (const { stream_id, subscribers } of event.subscriptions)
          changeSubscribers(state, [stream_id], () => new Set(subscribers));
        rereadStreams(kept, [...added.keys()]);
        break;
      }
      case 'remove':
        removeSubscriptions(kept, idsOf(event.subscriptions));
        break;
      case 'peer_add':
        changeSubscribers(state, event.stream_ids, (ids) => ids.union(new Set(event.user_ids)));
        break;
      case 'peer_remove':
        changeSubscribers(state, event.stream_ids, (ids) =>
          ids.difference(new Set(event.user_ids)),
        );
        break;
      default:
        changeStream(state, event.stream_id, {
          [event.property]: event.value,
          ...(event.property === 'in_home_view' && { is_muted: !event.value }),
        });
        // What the server does not say now comes with the next registration.
        if (event.property === 'in_home_view') rereadMentions(kept).catch(() => undefined);
    }
  },
  muted_topics(kept, { muted_topics }) {
    const { state } = kept;
    state.mutedTopics.value = mutedTopicKeys(muted_topics, state.streams.peek());
    rereadMentions(kept).catch(() => undefined);
  },
} satisfies Reducers;
