import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ParleyClient } from '@parley/client';

import type { Drafts } from './drafts.ts';
import type { MessageLists } from './message-lists.ts';
import type { Conversation } from './narrow.ts';
import type { Outbox } from './outbox.ts';
import type { Place } from './place.ts';
import type { Reading } from './reading.ts';
import type { RecentConversation } from './recent.ts';
import type { State } from './state.ts';
import type { StoredList } from './stored.ts';
import type { Telling } from './telling.ts';
import type { Topics } from './topics.ts';
import type { Typing } from './typing.ts';

/** `live`: events arrive. `connecting`: the connection is being made anew. `offline`: the browser has no network. */
export type ConnectionState = 'live' | 'connecting' | 'offline';

/** The data of the client for one signed-in person: what views read and call. */
export type App = {
  readonly client: ParleyClient;
  readonly state: State;
  /** Names of the emoji that the person chose last in this browser, the latest last. */
  readonly recentEmoji: StoredList<string>;
  readonly lists: MessageLists;
  readonly outbox: Outbox;
  readonly drafts: Drafts;
  readonly reading: Reading;
  /** See `recentConversations`. */
  readonly recent: ReadonlySignal<readonly RecentConversation[]>;
  readonly topics: Topics;
  readonly typing: Typing;
  readonly telling: Telling;
  readonly place: Signal<Place>;
  readonly connection: ReadonlySignal<ConnectionState>;
  /** What the compose area writes to; undefined while it is closed. */
  readonly composing: Signal<Conversation | undefined>;
  /** A text that the compose area is to insert; it then sets undefined. */
  readonly quoted: Signal<string | undefined>;
  navigate(place: Place): void;
  /** The fragment of a place's address. */
  addressOf(place: Place): string;
};
