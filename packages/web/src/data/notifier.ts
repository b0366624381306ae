/** What the person is notified of: new messages as they arrive, and how many are waiting. That is decided by `@parley/notification-rules`. */
import { computed } from '@preact/signals';
import { notificationsFor } from '@parley/notification-rules';
import type { Attention, Recipient } from '@parley/notification-rules';

import { conversationOfMessage } from './conversation.ts';
import { narrowPredicate } from './narrow-predicate.ts';
import type { Conversation } from './narrow.ts';
import type { Place } from './place.ts';
import type { Message, State } from './state.ts';
import { isTopicMuted } from './stream-groups.ts';

/** A message that the person is to be notified of. */
export type DueNotification = {
  readonly message: Message;
  readonly conversation: Conversation;
  readonly isShown: boolean;
  readonly isHeard: boolean;
  /** Whether the service worker shows it, too, in a browser that the server pushes to. */
  readonly isPushed: boolean;
};

export type Waiting = {
  /** The number to show: which unread messages it counts is a setting. */
  readonly count: number;
  /** Whether the person is mentioned, or written to in private. */
  readonly concernsSelf: boolean;
};

/** How many messages wait for the part that shows notifications, the newest ones. */
const keptMax = 20;

/** No message of the person's own, of which nobody is notified. */
const anybodyElse = -1;

/** The person looks at a client, so nothing is sent elsewhere; whether a browser notifies depends on its window alone. */
const looksElsewhere: Attention = {
  isIdle: false,
  isWindowFocused: false,
  isInShownNarrow: false,
};

export class Notifier {
  readonly #state: State;
  #listener: ((message: Message) => void) | undefined;
  /** What came before anybody listened: the part that shows notifications is loaded while events arrive already. */
  #kept: Message[] | undefined = [];
  /** Unread messages as the person has chosen to count them. */
  readonly waiting = computed(() => this.#countWaiting());

  constructor(state: State) {
    this.#state = state;
  }

  /** Hears of each message that arrives, once; the first listener also of those that came before it and are still unread. There is one at a time. */
  listen(listener: ((message: Message) => void) | undefined): void {
    this.#listener = listener;
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const message of kept) if (this.#state.unread.peek().has(message.id)) listener?.(message);
  }

  receive(message: Message): void {
    this.#listener?.(message);
    if (this.#kept !== undefined) this.#kept = [...this.#kept, message].slice(-keptMax);
  }

  /**
   * @param place what the window shows
   * @param isWindowFocused whether the person looks at it
   * @returns undefined if the person is not notified
   */
  judge(message: Message, place: Place, isWindowFocused: boolean): DueNotification | undefined {
    const conversation = conversationOfMessage(message, this.#state);
    const { desktop, sound, push } = notificationsFor(
      { type: message.type, sender_id: message.sender_id, flags: message.flags ?? [] },
      this.#recipientOf(conversation),
      {
        ...looksElsewhere,
        isWindowFocused,
        isInShownNarrow:
          place.view === 'messages' && narrowPredicate(place.narrow, this.#state)(message) === true,
      },
    );
    if (desktop === undefined && sound === undefined) return undefined;
    return {
      message,
      conversation,
      isShown: desktop !== undefined,
      isHeard: sound !== undefined,
      isPushed: push !== undefined,
    };
  }

  #recipientOf(conversation: Conversation): Recipient {
    const { self, settings, subscriptions } = this.#state;
    const isStream = conversation.type === 'stream';
    return {
      userId: self.value.user_id,
      settings: settings.value,
      subscription: isStream ? subscriptions.value.get(conversation.streamId) : undefined,
      hasMutedTopic:
        isStream && isTopicMuted(this.#state, conversation.streamId, conversation.topic),
      hasMutedSender: false,
    };
  }

  #countWaiting(): Waiting {
    let count = 0;
    let concernsSelf = false;
    for (const unread of this.#state.unreadConversations.value.values()) {
      const { conversation, ids, mentionCount } = unread;
      concernsSelf ||= conversation.type === 'private' || mentionCount > 0;
      const recipient = this.#recipientOf(conversation);
      const isCounted = (flags: readonly 'mentioned'[]): boolean =>
        notificationsFor(
          { type: conversation.type, sender_id: anybodyElse, flags: [...flags] },
          recipient,
          looksElsewhere,
        ).badge !== undefined;
      if (isCounted([])) count += ids.size;
      else if (isCounted(['mentioned'])) count += mentionCount;
    }
    return { count, concernsSelf };
  }
}
