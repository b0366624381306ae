import { signal } from '@preact/signals';
import { ApiError } from '@parley/client';
import type { ParleyClient } from '@parley/client';

import { createApp } from './app.ts';
import type { App, ConnectionState } from './app.ts';
import type { followDrafts } from './draft-sync.ts';
import { reportPresence } from './presence.ts';
import { applyEvent } from './reducers/index.ts';
import { SharedEvents } from './shared-events.ts';
import type { Arrival } from './shared-events.ts';
import { createState, readRegistered, replaceKnown } from './state.ts';
import type { Known } from './state.ts';
import { openAccountStore } from './stored.ts';
import type { AccountStore, KeyValueStore } from './stored.ts';

export type OpenOptions = {
  /** See `SharedEvents`. */
  readonly name: string;
  /** Ends everything the app does by itself. */
  readonly signal: AbortSignal;
  readonly store: KeyValueStore;
  /** Tells of the network, of what other tabs store, and of what the person does: a browser's window. */
  readonly page: EventTarget;
  /** Called when the server cannot be reached, before the app is open; it is tried again. */
  readonly onUnreachable: (failure: Error) => void;
  /** Called when the server no longer knows the session. */
  readonly onSignedOut: () => void;
};

/** The clock advances this often, in a hidden page once a minute. What others reported ages by it, and what was not sent is tried again. */
const tickMs = 30_000;

/** After a longer gap the machine slept, and its connections may be dead. */
const sleptSecs = 150;

/** Signs of the person are told at most this often. */
const inputEveryMs = 15_000;

function apply(app: App, arrival: Arrival<Known>): void {
  if (arrival.kind === 'event') applyEvent(app, arrival.event);
  else if (arrival.kind === 'part') replaceKnown(app.state, arrival.part);
  else {
    replaceKnown(app.state, arrival.known);
    // After a gap in the events, what was read beside them is read again.
    app.lists.refresh();
    app.topics.reread();
    app.outbox.forgetSent();
  }
}

/** What goes on by itself while the app is open. */
function attend(app: App, shared: SharedEvents<Known>, ending: AbortSignal): void {
  const { state, connection, outbox, lists, reading } = app;
  const ticking = setInterval(() => {
    const nowSecs = Date.now() / 1000;
    if (nowSecs - state.nowSecs.peek() > sleptSecs) shared.wake();
    state.nowSecs.value = nowSecs;
    if (connection.peek() === 'live') outbox.resume();
  }, tickMs);
  const unsubscribe = connection.subscribe((now) => {
    if (now !== 'live') return;
    outbox.resume();
    // What failed is tried again.
    lists.refresh(({ failure }) => failure.peek() !== undefined);
    void reading.flush();
  });
  ending.addEventListener('abort', () => {
    clearInterval(ticking);
    unsubscribe();
  });
}

/** Hears what the page tells of its surroundings. */
function attendPage(
  { page, signal: ending }: OpenOptions,
  shared: SharedEvents<Known>,
  store: AccountStore,
): void {
  const on = (types: readonly string[], act: () => void): void => {
    for (const type of types) page.addEventListener(type, act, { signal: ending, passive: true });
  };
  // Of a page that comes back from the browser's cache the connections are cut.
  on(['online', 'pageshow'], () => shared.wake());
  on(['offline'], () => shared.noteOffline());
  on(['storage'], () => store.reread());
  let toldAt = 0;
  on(['keydown', 'pointerdown', 'wheel', 'focus'], () => {
    if (Date.now() - toldAt < inputEveryMs) return;
    toldAt = Date.now();
    shared.noteInput();
  });
}

/** The page is shown without what keeps drafts on the server. */
async function followDraftsLater(...given: Parameters<typeof followDrafts>): Promise<void> {
  const sync = await import('./draft-sync.ts');
  if (!given[1].signal.aborted) sync.followDrafts(...given);
}

/**
 * Registers for events, or takes what another tab knows, and applies events from then on.
 *
 * @throws ApiError if the server refuses
 */
export function openApp(client: ParleyClient, options: OpenOptions): Promise<App> {
  const connection = signal<ConnectionState>('connecting');
  let opened: { readonly app: App; readonly noteInput: () => void } | undefined;
  return new Promise((resolve, reject) => {
    const open = (known: Known): void => {
      const store = openAccountStore(options.store, known.rest.user_id, options.signal);
      const app = createApp(client, {
        state: createState(known),
        connection,
        store,
        queueId: () => shared.queueId,
      });
      opened = { app, noteInput: reportPresence(client, shared, options.signal) };
      attend(app, shared, options.signal);
      attendPage(options, shared, store);
      void followDraftsLater(app, {
        isLeader: () => shared.isLeader,
        page: options.page,
        signal: options.signal,
      });
      resolve(app);
    };
    const shared: SharedEvents<Known> = new SharedEvents<Known>(client, {
      name: options.name,
      signal: options.signal,
      read: readRegistered,
      receive(arrival) {
        if (opened !== undefined) apply(opened.app, arrival);
        else if (arrival.kind === 'known') open(arrival.known);
      },
      known: () => opened?.app.state.known.peek(),
      onConnection(now) {
        connection.value = now;
      },
      onFailure(failure) {
        if (opened === undefined) options.onUnreachable(failure);
      },
      onInput: () => opened?.noteInput(),
      onRefused(failure) {
        reject(failure);
        if (opened !== undefined && failure instanceof ApiError) options.onSignedOut();
      },
    });
  });
}
