import { streamIdOf } from '../narrow.ts';
import { mutedTopicKeys, toStream, withoutSubscribers } from '../state.ts';
import type { State, Stream, Subscription } from '../state.ts';
import { changedMap } from './changed-map.ts';
import type { Kept, Reducers } from './reducer.ts';

/** Changes a stream wherever the state has it. */
function changeStream({ streams, subscriptions }: State, streamId: number, change: object): void {
  streams.value = changedMap(streams.peek(), streamId, (stream) =>
    toStream({ ...stream, ...change }),
  );
  subscriptions.value = changedMap(subscriptions.peek(), streamId, (subscription) => ({
    ...subscription,
    ...change,
  }));
}

export function noteFirstMessage(state: State, streamId: number, messageId: number): void {
  if (state.streams.peek().get(streamId)?.first_message_id === null)
    changeStream(state, streamId, { first_message_id: messageId });
}

function without<Value>(
  map: ReadonlyMap<number, Value>,
  ids: readonly number[],
): ReadonlyMap<number, Value> {
  return new Map([...map].filter(([id]) => !ids.includes(id)));
}

function forgetStreams(state: State, ids: readonly number[]): void {
  state.streams.value = without(state.streams.peek(), ids);
  state.subscriptions.value = without(state.subscriptions.peek(), ids);
  state.subscribers.value = without(state.subscribers.peek(), ids);
  const isGone = (streamId: number): boolean => ids.includes(streamId);
  state.mutedTopics.value = new Set(
    [...state.mutedTopics.peek()].filter((key) => !isGone(Number.parseInt(key, 10))),
  );
  for (const unread of state.unread.conversations.peek().values())
    if (unread.conversation.type === 'stream' && isGone(unread.conversation.streamId))
      state.unread.remove(unread.ids);
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
  lists.refresh((narrow) => ids.includes(streamIdOf(narrow) ?? Number.NaN));
}

function addSubscriptions(
  kept: Kept,
  added: readonly (Subscription & { readonly subscribers: readonly number[] })[],
): void {
  const { state } = kept;
  const byId = added.map((each) => [each.stream_id, withoutSubscribers(each)] as const);
  state.streams.value = new Map([
    ...state.streams.peek(),
    ...added.map((each) => [each.stream_id, toStream(each)] as const),
  ]);
  state.subscriptions.value = new Map([...state.subscriptions.peek(), ...byId]);
  state.subscribers.value = new Map([
    ...state.subscribers.peek(),
    ...added.map(({ stream_id, subscribers }) => [stream_id, new Set(subscribers)] as const),
  ]);
  rereadStreams(
    kept,
    added.map(({ stream_id }) => stream_id),
  );
}

function removeSubscriptions(kept: Kept, ids: readonly number[]): void {
  const { state } = kept;
  const { user_id, is_admin } = state.self.peek();
  state.subscriptions.value = without(state.subscriptions.peek(), ids);
  changeSubscribers(state, ids, (subscribers) => subscribers.difference(new Set([user_id])));
  const hidden = ids.filter((id) => state.streams.peek().get(id)?.invite_only === true);
  if (!is_admin) state.subscribers.value = without(state.subscribers.peek(), hidden);
  rereadStreams(kept, ids);
}

/** Reducers of streams, subscriptions and muted topics. */
export const streamReducers = {
  stream({ state }, event) {
    if (event.op === 'update') {
      const { stream_id, property, value } = event;
      const { rendered_description, history_public_to_subscribers } = {
        rendered_description: undefined,
        history_public_to_subscribers: undefined,
        ...event,
      };
      changeStream(state, stream_id, {
        [property]: value,
        ...(rendered_description !== undefined && { rendered_description }),
        ...(history_public_to_subscribers !== undefined && { history_public_to_subscribers }),
      });
      return;
    }
    if (event.op === 'delete') {
      forgetStreams(
        state,
        event.streams.map(({ stream_id }) => stream_id),
      );
      return;
    }
    const known = new Map<number, Stream>(state.streams.peek());
    for (const stream of event.streams)
      known.set(stream.stream_id, { ...known.get(stream.stream_id), ...stream });
    state.streams.value = known;
    changeSubscribers(
      state,
      event.streams.map(({ stream_id }) => stream_id),
      (ids) => ids,
    );
  },
  subscription(kept, event) {
    const { state } = kept;
    switch (event.op) {
      case 'add':
        addSubscriptions(kept, event.subscriptions);
        break;
      case 'remove':
        removeSubscriptions(
          kept,
          event.subscriptions.map(({ stream_id }) => stream_id),
        );
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
        state.subscriptions.value = changedMap(
          state.subscriptions.peek(),
          event.stream_id,
          (subscription) => ({
            ...subscription,
            [event.property]: event.value,
            ...(event.property === 'in_home_view' && { is_muted: !event.value }),
          }),
        );
    }
  },
  muted_topics({ state }, { muted_topics }) {
    const ids = new Map(
      [...state.streams.peek().values()].map(({ name, stream_id }) => [
        name.toLowerCase(),
        stream_id,
      ]),
    );
    state.mutedTopics.value = mutedTopicKeys(muted_topics, (name) => ids.get(name.toLowerCase()));
  },
  default_streams({ state }, { default_streams }) {
    state.rest.value = { ...state.rest.peek(), realm_default_streams: default_streams };
  },
  default_stream_groups({ state }, { default_stream_groups }) {
    state.rest.value = {
      ...state.rest.peek(),
      realm_default_stream_groups: default_stream_groups,
    };
  },
} satisfies Reducers;
