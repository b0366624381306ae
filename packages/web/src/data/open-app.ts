import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { ApiError } from '@parley/client';
import type { ParleyClient } from '@parley/client';

import type { App, ConnectionState } from './app.ts';
import { Drafts } from './drafts.ts';
import { MessageLists } from './message-lists.ts';
import { Outbox } from './outbox.ts';
import { addressOfPlace, home } from './place.ts';
import type { AddressNames } from './narrow.ts';
import { Reading } from './reading.ts';
import { Recent } from './recent.ts';
import { applyEvent } from './reducers/index.ts';
import { registerParameters } from './register-parameters.ts';
import { createState, fillState } from './state.ts';
import type { Registered, State } from './state.ts';
import type { KeyValueStore } from './stored.ts';
import { Topics } from './topics.ts';
import { Typing } from './typing.ts';

export type OpenOptions = {
  /** Ends everything the app does by itself. */
  readonly signal: AbortSignal;
  readonly store: KeyValueStore;
  /** Called when the server no longer knows the session. */
  readonly onSignedOut: () => void;
};

function namesOf(state: State): AddressNames {
  return {
    streamName: (streamId) => state.streams.value.get(streamId)?.name,
    userName: (userId) => state.people.value.get(userId)?.full_name,
  };
}

/**
 * Registers for events, and applies them from then on.
 *
 * @throws ApiError or NoAnswerError if it cannot register
 */
export async function openApp(client: ParleyClient, options: OpenOptions): Promise<App> {
  const connection = signal<ConnectionState>('connecting');
  const events = client.events(registerParameters, {
    signal: options.signal,
    onFailure: () => {
      connection.value = 'connecting';
    },
  });
  const first = await events.next();
  if (first.done === true || first.value.type !== 'registered')
    throw new Error('events begin with the registration');
  const state = createState(first.value.state as Registered);
  const userId = state.self.peek().user_id;
  const place: App['place'] = signal(home);
  const app: App = {
    client,
    state,
    lists: new MessageLists(client, state),
    outbox: new Outbox(client, { store: options.store, userId, queueId: () => events.queueId }),
    drafts: new Drafts(options.store, userId),
    reading: new Reading(client, state),
    recent: new Recent(client, state),
    topics: new Topics(client),
    typing: new Typing(client),
    place,
    connection,
    composing: signal(undefined),
    quoted: signal(undefined),
    navigate(to) {
      place.value = to;
    },
    addressOf: (to) => addressOfPlace(to, namesOf(state)),
  };
  connection.value = 'live';
  app.outbox.resume();
  void followEvents(app, connection, events).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) options.onSignedOut();
    else throw error;
  });
  return app;
}

async function followEvents(
  app: App,
  connection: Signal<ConnectionState>,
  events: ReturnType<ParleyClient['events']>,
): Promise<void> {
  for await (const event of events) {
    connection.value = 'live';
    if (event.type === 'registered') {
      fillState(app.state, event.state as Registered);
      app.lists.reload();
      app.recent.reload();
      app.topics.reread();
      app.outbox.forgetSent();
    } else applyEvent(app, event);
  }
}
