import { batch, signal } from '@preact/signals';
import { ApiError } from '@parley/client';
import type { ParleyClient } from '@parley/client';

import type { App, ConnectionState } from './app.ts';
import { Drafts } from './drafts.ts';
import { MessageLists } from './message-lists.ts';
import type { AddressNames } from './narrow.ts';
import { Outbox } from './outbox.ts';
import { addressOfPlace, home } from './place.ts';
import { Presence } from './presence.ts';
import { Reading } from './reading.ts';
import { Recent } from './recent.ts';
import { applyEvent } from './reducers/index.ts';
import { SharedEvents } from './shared-events.ts';
import type { Arrival } from './shared-events.ts';
import { createState, fillState, restOf, restoreState, snapshotOf } from './state.ts';
import type { Snapshot, State } from './state.ts';
import type { KeyValueStore } from './stored.ts';
import { Telling } from './telling.ts';
import { Topics } from './topics.ts';
import { Typing } from './typing.ts';

export type OpenOptions = {
  /** See `SharedEvents`. */
  readonly name: string;
  /** Ends everything the app does by itself. */
  readonly signal: AbortSignal;
  readonly store: KeyValueStore;
  /** Called when the server cannot be reached, before the app is open; it is tried again. */
  readonly onUnreachable: (failure: Error) => void;
  /** Called when the server no longer knows the session. */
  readonly onSignedOut: () => void;
};

/** The app, and what the page tells it of its surroundings. */
export type OpenedApp = {
  readonly app: App;
  /** The network is back, or the page was shown again. */
  wake(): void;
  noteOffline(): void;
  /** The person did something. */
  noteInput(): void;
  /** Another tab wrote to the browser's storage. */
  reread(): void;
};

/** The clock that ages what others reported advances this often. */
const ageingMs = 30_000;

function namesOf(state: State): AddressNames {
  return {
    streamName: (streamId) => state.streams.value.get(streamId)?.name,
    userName: (userId) => state.people.value.get(userId)?.full_name,
  };
}

function createApp(
  client: ParleyClient,
  parts: {
    readonly state: State;
    readonly connection: App['connection'];
    readonly store: KeyValueStore;
    readonly queueId: () => string | undefined;
  },
): App {
  const { state, connection, store, queueId } = parts;
  const userId = state.self.peek().user_id;
  const place: App['place'] = signal(home);
  const lists = new MessageLists(client, state);
  return {
    client,
    state,
    lists,
    outbox: new Outbox(client, {
      store,
      userId,
      queueId,
      newestId: () => state.maxMessageId.peek(),
      onUnheard: () => lists.refresh(),
    }),
    drafts: new Drafts(store, userId),
    reading: new Reading(client, state),
    recent: new Recent(client, state, lists.store),
    topics: new Topics(client),
    typing: new Typing(client, state),
    telling: new Telling(state),
    place,
    connection,
    composing: signal(undefined),
    quoted: signal(undefined),
    navigate(to) {
      place.value = to;
    },
    addressOf: (to) => addressOfPlace(to, namesOf(state)),
  };
}

/** What was signed out writes nothing more. */
function untilEnd(store: KeyValueStore, ending: AbortSignal): KeyValueStore {
  return {
    getItem: (key) => store.getItem(key),
    removeItem: (key) => store.removeItem(key),
    setItem(key, value) {
      if (!ending.aborted) store.setItem(key, value);
    },
  };
}

/** The state was replaced after a gap in the events: what was read beside it is read again. */
function rereadAll({ lists, recent, topics, outbox }: App): void {
  lists.refresh();
  void recent.reload();
  topics.reread();
  outbox.forgetSent();
}

function apply(app: App, arrival: Arrival<Snapshot>): void {
  const { state } = app;
  switch (arrival.kind) {
    case 'registered':
      fillState(state, arrival.registered);
      rereadAll(app);
      break;
    case 'snapshot':
      restoreState(state, arrival.snapshot);
      rereadAll(app);
      break;
    case 'event':
      applyEvent(app, arrival.event);
      break;
    default:
      batch(() => {
        state.reported.value = arrival.reports;
        state.nowSecs.value = Date.now() / 1000;
      });
  }
}

function stateOf(arrival: Arrival<Snapshot>): State | undefined {
  if (arrival.kind === 'registered') {
    const state = createState(restOf(arrival.registered));
    fillState(state, arrival.registered);
    return state;
  }
  if (arrival.kind !== 'snapshot') return undefined;
  const state = createState(arrival.snapshot.rest);
  restoreState(state, arrival.snapshot);
  return state;
}

/** What goes on by itself while the app is open. */
function attend(
  app: App,
  parts: {
    readonly shared: SharedEvents<Snapshot>;
    readonly presence: Presence;
  },
  ending: AbortSignal,
): OpenedApp {
  const { shared, presence } = parts;
  const { state, connection, lists, outbox, drafts, reading } = app;
  const ageing = setInterval(() => {
    state.nowSecs.value = Date.now() / 1000;
  }, ageingMs);
  const unsubscribe = connection.subscribe((now) => {
    if (now !== 'live') return;
    outbox.resume();
    lists.retry();
    void reading.flush();
  });
  ending.addEventListener('abort', () => {
    clearInterval(ageing);
    unsubscribe();
  });
  return {
    app,
    wake: () => shared.wake(),
    noteOffline: () => shared.noteOffline(),
    noteInput() {
      shared.noteInput();
      presence.noteInput();
    },
    reread() {
      outbox.reread();
      drafts.reread();
    },
  };
}

/**
 * Registers for events, or takes the state of another tab, and applies events from then on.
 *
 * @throws ApiError if the server refuses
 */
export function openApp(client: ParleyClient, options: OpenOptions): Promise<OpenedApp> {
  const connection = signal<ConnectionState>('connecting');
  let app: App | undefined;
  return new Promise((resolve, reject) => {
    const shared: SharedEvents<Snapshot> = new SharedEvents(client, {
      name: options.name,
      signal: options.signal,
      receive(arrival) {
        if (app !== undefined) {
          apply(app, arrival);
          return;
        }
        const state = stateOf(arrival);
        if (state === undefined) return;
        app = createApp(client, {
          state,
          connection,
          store: untilEnd(options.store, options.signal),
          queueId: () => shared.queueId,
        });
        const presence: Presence = new Presence(client, {
          signal: options.signal,
          mayReport: () => shared.isLeader,
          onReports: (reports) => shared.sharePresences(reports),
        });
        onInput = () => presence.noteInput();
        resolve(attend(app, { shared, presence }, options.signal));
      },
      snapshot: () => app && snapshotOf(app.state),
      onConnection(now) {
        connection.value = now;
      },
      onFailure(failure) {
        if (app === undefined) options.onUnreachable(failure);
      },
      onInput: () => onInput(),
      onRefused(failure) {
        reject(failure);
        if (app !== undefined && failure instanceof ApiError) options.onSignedOut();
      },
    });
    let onInput = (): void => undefined;
  });
}
