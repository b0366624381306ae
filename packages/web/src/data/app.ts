import { computed, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { ParleyClient } from '@parley/client';

import { createDrafts } from './drafts.ts';
import { isEmoji, mostUsed } from './emoji.ts';
import { createUnreadRound } from './inbox.ts';
import { MessageLists } from './message-lists.ts';
import type { Conversation } from './narrow.ts';
import { createNotifier } from './notifier.ts';
import { Outbox } from './outbox.ts';
import { addressOfPlace, conversationAt, home } from './place.ts';
import type { Place } from './place.ts';
import { createReading } from './reading.ts';
import { recentConversations } from './recent.ts';
import { isBoolean } from './shapes.ts';
import type { State } from './state.ts';
import type { AccountStore } from './stored.ts';
import { createTopics } from './topics.ts';
import { createTyping } from './typing.ts';
import { createVisited } from './visited.ts';

/** `live`: events arrive. `connecting`: the connection is being made anew. `offline`: the browser has no network. */
export type ConnectionState = 'live' | 'connecting' | 'offline';

const usedEmojiMax = 100;

/** What views read and call. */
export type App = ReturnType<typeof createApp>;

type AppParts = {
  readonly state: State;
  readonly connection: ReadonlySignal<ConnectionState>;
  readonly store: AccountStore;
  /** See `OutboxOptions`. */
  readonly queueId: () => string | undefined;
};

/** @returns the data of the client for one signed-in person, and what can be done with them */
export function createApp(client: ParleyClient, { state, connection, store, queueId }: AppParts) {
  const lists = new MessageLists(client, state);
  const place = signal<Place>(home);
  const reading = createReading(client, state);
  const visited = createVisited(store);
  const usedEmoji = store.list('emoji', usedEmojiMax, isEmoji);
  const corrected = signal<Place | undefined>(undefined);
  return {
    state,
    connection,
    /**
     * Asks the server for an operation, under its name in the API; the state follows by events.
     *
     * @throws ApiError, NoAnswerError: see `describeFailure`
     */
    request: client.request.bind(client),
    /** A list of one: that this browser shows light colours where the device has dark ones. */
    lightHere: store.list('light', 1, isBoolean),
    /** Emoji with which the person reacted in this browser, the latest last. */
    usedEmoji,
    /** See `mostUsed`. */
    mostUsedEmoji: computed(() => mostUsed(usedEmoji.items.value, state.realm.value)),
    lists,
    outbox: new Outbox(client, {
      store,
      queueId,
      newestId: () => state.maxMessageId.peek(),
      onUnheard: () => lists.refresh(),
    }),
    drafts: createDrafts(store),
    reading,
    /** See `recentConversations`. */
    recent: computed(() => recentConversations(lists, state)),
    topics: createTopics(client),
    typing: createTyping(client, state),
    notifier: createNotifier(state),
    place,
    navigate(to: Place): void {
      reading.leave();
      place.value = to;
      const conversation = conversationAt(to);
      if (conversation !== undefined) visited.visit(conversation);
    },
    visited,
    /** See `createUnreadRound`. */
    nextUnread: createUnreadRound(state),
    /** What `correct` made the place. */
    corrected,
    /** Replaces the place by what is really there: back does not lead to the one before. */
    correct(to: Place): void {
      corrected.value = to;
      place.value = to;
    },
    /** The fragment of a place's address. */
    addressOf: (to: Place) =>
      addressOfPlace(to, { streams: state.streams.value, people: state.people.value }),
    /** What the compose area writes to; undefined while it is closed. */
    composing: signal<Conversation | undefined>(undefined),
    /** A text that the compose area is to insert; it then sets undefined. */
    quoted: signal<string | undefined>(undefined),
  };
}
