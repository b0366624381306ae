/** Who is notified, judged from what the database says when the notification is sent (decision 0053). */
import { notificationsFor } from '@parley/api/notification-rules';
import type { Notifications } from '@parley/api/notification-rules';
import { notifiedMaxAgeSecs } from '@parley/store/notifications';
import type { NotificationFacts } from '@parley/store/notifications';

/**
 * Judges one unread message for one person. The server does not know what a window shows: what somebody sees is read, and so not judged.
 *
 * @param isIdle whether the person is away; by default as the facts say
 */
export function judge(
  { userId, recipient, message, subscription, hasMutedTopic }: NotificationFacts,
  isIdle = recipient.activeSecs === 0,
): Pick<Notifications, 'push' | 'email'> {
  const { push, email } = notificationsFor(
    { type: message.place.type, sender_id: message.senderId, flags: [...message.flags] },
    {
      userId,
      settings: recipient.settings,
      subscription,
      hasMutedTopic,
      hasMutedSender: false,
    },
    { isIdle, isWindowFocused: false, isInShownNarrow: false },
  );
  return { ...(push !== undefined && { push }), ...(email !== undefined && { email }) };
}

/** For how many more whole seconds people are notified of a message; not above 0 if it is too old. */
function secsLeftOf({ message }: NotificationFacts, nowMs: number): number {
  return Math.ceil(notifiedMaxAgeSecs - (nowMs - message.sentAt.getTime()) / 1_000);
}

/** Whether a message is too old to notify of. */
export function isOld(facts: NotificationFacts, nowMs: number): boolean {
  return secsLeftOf(facts, nowMs) <= 0;
}

/** For how many more seconds people are notified of the newest of some messages: at least one. */
export function leftSecs(facts: readonly NotificationFacts[], nowMs: number): number {
  return Math.max(1, ...facts.map((each) => secsLeftOf(each, nowMs)));
}

/** Groups what belongs to one person and one conversation, as it is now; in the order of the first of each. */
export function byConversation(facts: readonly NotificationFacts[]): NotificationFacts[][] {
  const groups = new Map<string, NotificationFacts[]>();
  for (const each of facts) {
    const key = `${each.userId}/${each.message.place.conversationId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}
