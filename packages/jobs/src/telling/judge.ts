/** Who is told, judged from what the database says at the moment of telling (decision 0053). */
import { notificationsFor } from '@parley/notification-rules';
import type { Notifications } from '@parley/notification-rules';
import { toldMaxSecs } from '@parley/store/telling';
import type { ToldFacts } from '@parley/store/telling';

/**
 * Judges one unread message for one person. The server does not know what a window shows: what somebody sees is read, and so not judged.
 *
 * @param isIdle whether the person is away; by default as the facts say
 */
export function judge(
  { userId, recipient, message, subscription, hasMutedTopic }: ToldFacts,
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

/** How long people are told of a message yet, in whole seconds; not above 0 if no longer. */
function secsLeftOf({ message }: ToldFacts): number {
  return Math.ceil(toldMaxSecs - (Date.now() - message.sentAt.getTime()) / 1_000);
}

/** Whether a message is so old that nobody is told of it. */
export function isOld(facts: ToldFacts): boolean {
  return secsLeftOf(facts) <= 0;
}

/** How long people are told of the newest of some messages yet, in seconds: one at least. */
export function leftSecs(facts: readonly ToldFacts[]): number {
  return Math.max(1, ...facts.map(secsLeftOf));
}

/** Groups what belongs to one person and one conversation, as it is now; in the order of the first of each. */
export function byConversation(facts: readonly ToldFacts[]): ToldFacts[][] {
  const groups = new Map<string, ToldFacts[]>();
  for (const each of facts) {
    const key = `${each.userId}/${each.message.place.conversationId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}
