/** What the person is notified of: new messages as they arrive, and how many are waiting. That is decided by `@parley/api/notification-rules`. */
import { computed } from '@preact/signals';
import { notificationsFor } from '@parley/api/notification-rules';
import type { Attention, Notifications, Recipient } from '@parley/api/notification-rules';

import { conversationOfMessage } from './conversation.ts';
import { narrowPredicate } from './narrow-predicate.ts';
import type { Conversation } from './narrow.ts';
import type { Place } from './place.ts';
import type { Message, State } from './state.ts';
import { isTopicMuted } from './unread.ts';

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

function recipientOf(state: State, conversation: Conversation): Recipient {
  const { self, settings, subscriptions } = state;
  const isStream = conversation.type === 'stream';
  return {
    userId: self.value.user_id,
    settings: settings.value,
    subscription: isStream ? subscriptions.value.get(conversation.streamId) : undefined,
    hasMutedTopic: isStream && isTopicMuted(state, conversation.streamId, conversation.topic),
    hasMutedSender: false,
  };
}

function countWaiting(state: State) {
  let count = 0;
  let concernsSelf = false;
  for (const { conversation, ids, mentionCount } of state.unreadConversations.value.values()) {
    concernsSelf ||= conversation.type === 'private' || mentionCount > 0;
    const recipient = recipientOf(state, conversation);
    const isCounted = (flags: readonly 'mentioned'[]): boolean =>
      notificationsFor(
        { type: conversation.type, sender_id: anybodyElse, flags: [...flags] },
        recipient,
        looksElsewhere,
      ).badge !== undefined;
    if (isCounted([])) count += ids.size;
    else if (isCounted(['mentioned'])) count += mentionCount;
  }
  return {
    /** The number to show: which unread messages it counts is a setting. */
    count,
    /** Whether the person is mentioned, or written to in private. */
    concernsSelf,
  };
}

export function createNotifier(state: State) {
  let kept: readonly Message[] = [];
  // The part that shows notifications is loaded while events arrive already.
  let listener = (message: Message): void => {
    kept = [...kept, message].slice(-keptMax);
  };
  return {
    waiting: computed(() => countWaiting(state)),
    /** Hears of each message that arrives, once; the first listener also of those that came before it and are still unread. There is one at a time. */
    listen(next: (message: Message) => void): void {
      listener = next;
      for (const message of kept) if (state.unread.peek().has(message.id)) next(message);
      kept = [];
    },
    receive(message: Message): void {
      listener(message);
    },
    /**
     * Where a message notifies the person. What `push` says the service worker shows, too, in a browser that the server pushes to.
     *
     * @param place what the window shows
     * @param isWindowFocused whether the person looks at it
     */
    judge(message: Message, place: Place, isWindowFocused: boolean): Notifications {
      const isInShownNarrow =
        place.view === 'messages' && narrowPredicate(place.narrow, state)(message) === true;
      return notificationsFor(message, recipientOf(state, conversationOfMessage(message, state)), {
        ...looksElsewhere,
        isWindowFocused,
        isInShownNarrow,
      });
    },
  };
}
