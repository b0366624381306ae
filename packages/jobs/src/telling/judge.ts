/** Who is told, judged from what the database says at the moment of telling (decision 0053). */
import { notificationsFor } from '@parley/notification-rules';
import type { Notifications } from '@parley/notification-rules';
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
