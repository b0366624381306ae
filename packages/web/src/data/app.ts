import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ParleyClient } from '@parley/client';

import type { MessageLists } from './message-lists.ts';
import type { Place } from './place.ts';
import type { State } from './state.ts';

/** `live`: events arrive. `connecting`: the connection is being made anew. */
export type ConnectionState = 'live' | 'connecting';

/** The data of the client for one signed-in person: what views read and call. */
export type App = {
  readonly client: ParleyClient;
  readonly state: State;
  readonly lists: MessageLists;
  readonly place: Signal<Place>;
  readonly connection: ReadonlySignal<ConnectionState>;
};
