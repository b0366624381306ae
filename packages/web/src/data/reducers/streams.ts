import { mutedTopicKeys } from '../state.ts';
import type { State, Stream, Subscription } from '../state.ts';
import type { Reducers } from './reducer.ts';

function changeStream(state: State, id: number, change: Partial<Stream>): void {
  const stream = state.streams.peek().get(id);
  if (stream !== undefined)
    state.streams.value = new Map(state.streams.peek()).set(id, { ...stream, ...change });
  changeSubscription(state, id, change);
}

function changeSubscription(
  { subscriptions }: State,
  id: number,
  change: Partial<Subscription>,
): void {
  const subscription = subscriptions.peek().get(id);
  if (subscription !== undefined)
    subscriptions.value = new Map(subscriptions.peek()).set(id, { ...subscription, ...change });
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

function without<Value>(
  map: ReadonlyMap<number, Value>,
  ids: ReadonlySet<number>,
): ReadonlyMap<number, Value> {
  return new Map([...map].filter(([id]) => !ids.has(id)));
}

/** Reducers of streams and subscriptions. */
export const streamReducers = {
  stream({ state }, event) {
    if (event.op === 'create') {
      const created = event.streams.map((stream) => [stream.stream_id, stream] as const);
      state.streams.value = new Map([...state.streams.peek(), ...created]);
    }
    if (event.op === 'delete') {
      const ids = new Set(event.streams.map(({ stream_id }) => stream_id));
      state.streams.value = without(state.streams.peek(), ids);
      state.subscriptions.value = without(state.subscriptions.peek(), ids);
      state.subscribers.value = without(state.subscribers.peek(), ids);
    }
    if (event.op !== 'update') return;
    const { stream_id, property, value } = event;
    changeStream(state, stream_id, {
      [property]: value,
      ...('rendered_description' in event && { rendered_description: event.rendered_description }),
      ...('history_public_to_subscribers' in event && {
        history_public_to_subscribers: event.history_public_to_subscribers,
      }),
    });
  },
  subscription({ state }, event) {
    const selfId = state.self.peek().user_id;
    switch (event.op) {
      case 'add': {
        const added = event.subscriptions.map((each) => [each.stream_id, each] as const);
        state.streams.value = new Map([...state.streams.peek(), ...added]);
        state.subscriptions.value = new Map([...state.subscriptions.peek(), ...added]);
        state.subscribers.value = new Map([
          ...state.subscribers.peek(),
          ...added.map(([id, { subscribers }]) => [id, new Set(subscribers)] as const),
        ]);
        break;
      }
      case 'remove': {
        const ids = event.subscriptions.map(({ stream_id }) => stream_id);
        state.subscriptions.value = without(state.subscriptions.peek(), new Set(ids));
        changeSubscribers(state, ids, (people) => people.difference(new Set([selfId])));
        break;
      }
      case 'peer_add':
        changeSubscribers(state, event.stream_ids, (ids) => ids.union(new Set(event.user_ids)));
        break;
      case 'peer_remove':
        changeSubscribers(state, event.stream_ids, (ids) =>
          ids.difference(new Set(event.user_ids)),
        );
        break;
      case 'update':
        changeSubscription(
          state,
          event.stream_id,
          event.property === 'in_home_view'
            ? { in_home_view: event.value, is_muted: !event.value }
            : { [event.property]: event.value },
        );
        break;
    }
  },
  muted_topics({ state }, { muted_topics }) {
    const ids = new Map(
      [...state.streams.peek().values()].map((each) => [each.name.toLowerCase(), each.stream_id]),
    );
    state.mutedTopics.value = mutedTopicKeys(muted_topics, (name) => ids.get(name.toLowerCase()));
  },
} satisfies Reducers;
