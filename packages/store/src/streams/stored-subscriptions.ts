/** A person's stored subscriptions (part of the module that owns `subscriptions`). */
import type { UserSettings } from '@parley/api/people';
import type { Queryable } from '@parley/database';

import type { SubscriptionSettings } from './subscription-settings.ts';

export type StoredSubscription = SubscriptionSettings & {
  readonly streamId: number;
  readonly isActive: boolean;
};

/** @returns a person's stored subscriptions, including ended ones, in no order */
export async function findSubscriptions(
  db: Queryable,
  userId: number,
): Promise<StoredSubscription[]> {
  const { rows } = await db.query<StoredSubscription>({
    name: 'store-find-subscriptions',
    text: `SELECT stream_id AS "streamId", is_active AS "isActive", color, is_muted AS "isMuted", pin_to_top AS "pinToTop",
        desktop_notifications AS "desktopNotifications", audible_notifications AS "audibleNotifications",
        push_notifications AS "pushNotifications", email_notifications AS "emailNotifications",
        wildcard_mentions_notify AS "wildcardMentionsNotify" FROM subscriptions WHERE user_id = $1`,
    values: [userId],
  });
  return rows;
}

/**
 * @param own the person's own defaults, which are booleans
 * @returns the same with these for null settings (reference facts, streams 6.3)
 */
export function resolvedSubscription(
  subscription: SubscriptionSettings,
  own: UserSettings,
): SubscriptionSettings<boolean> {
  return {
    ...subscription,
    desktopNotifications:
      subscription.desktopNotifications ?? own.enable_stream_desktop_notifications,
    audibleNotifications:
      subscription.audibleNotifications ?? own.enable_stream_audible_notifications,
    pushNotifications: subscription.pushNotifications ?? own.enable_stream_push_notifications,
    emailNotifications: subscription.emailNotifications ?? own.enable_stream_email_notifications,
  };
}
