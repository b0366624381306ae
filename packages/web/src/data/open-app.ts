import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { ApiError } from '@parley/client';
import type { ParleyClient } from '@parley/client';

import type { App, ConnectionState } from './app.ts';
import { MessageLists } from './message-lists.ts';
import { home } from './place.ts';
import { applyEvent } from './reducers/index.ts';
import { registerParameters } from './register-parameters.ts';
import { createState, fillState } from './state.ts';
import type { Registered } from './state.ts';

/**
 * Registers for events, and applies them from then on.
 *
 * @param options.onSignedOut called when the server no longer knows the session
 * @throws ApiError or NoAnswerError if it cannot register
 */
export async function openApp(
  client: ParleyClient,
  options: { readonly signal: AbortSignal; readonly onSignedOut: () => void },
): Promise<App> {
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
  const app: App = {
    client,
    state,
    lists: new MessageLists(client, state),
    place: signal(home),
    connection,
  };
  connection.value = 'live';
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
    } else applyEvent(app, event);
  }
}
