import { streamIdOf } from '../narrow.ts';
import { mutedTopicKeys } from '../state.ts';
import type { State, Stream, Subscription } from '../state.ts';
import { changedMap } from './changed-map.ts';
import type { Kept, Reducers } from './reducer.ts';

/** Changes a stream wherever the state has it. */
function changeStream({ streams, subscriptions }: State, streamId: number, change: object): void {
  streams.value = changedMap(streams.peek(), streamId, (stream) => ({ ...stream, ...change }));
  subscriptions.value = changedMap(subscriptions.peek(), streamId, (subscription) => ({
    ...subscription,
    ...change,
  }));
}

function forgetStreams(state: State, ids: readonly number[]): void {
  for (const part of [state.streams, state.subscriptions, state.subscribers] as const) {
    const next = new Map<number, never>(part.peek() as ReadonlyMap<number, never>);
    for (const id of ids) next.delete(id);
    part.value = next;
  }
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
  const byId = added.map((each) => [each.stream_id, each] as const);
  state.streams.value = new Map([...state.streams.peek(), ...byId]);
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
  const subscriptions = new Map(state.subscriptions.peek());
  for (const id of ids) subscriptions.delete(id);
  state.subscriptions.value = subscriptions;
  changeSubscribers(state, ids, (subscribers) => subscribers.difference(new Set([user_id])));
  const hidden = ids.filter((id) => state.streams.peek().get(id)?.invite_only === true);
  if (!is_admin) forgetStreams(state, hidden);
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
