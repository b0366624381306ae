import type { UserSettings } from '@parley/api/people';
import type { ListedSubscription } from '@parley/api/streams';
import type { Queryable } from '@parley/database';

import { listMemberEmails } from './memberships.ts';
import { subscriptionJson } from './stream-json.ts';
import type { SubscriptionSettings } from './stream-json.ts';
import { findStreamsByIds } from './streams.ts';
import type { Stream } from './streams.ts';
import { userSettings } from '../people/user-settings.ts';
import type { User } from '../people/users.ts';

/** The subscriptions that GET users/me/subscriptions answers, and what register needs of them. */

export type StoredSubscription = SubscriptionSettings & {
  readonly streamId: number;
  readonly isActive: boolean;
};

/** @returns what is stored of a person's subscriptions, also of those that ended, in no order */
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

// Postgres orders the other lists with the C collation, so this order is by code point too.
function byName(a: Stream, b: Stream): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}

/**
 * @param own the person's own defaults, which are booleans
 * @returns the same with these instead of null settings (reference facts, streams 6.3)
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

/**
 * The subscriptions of a person (contract, Subscription properties; reference facts, streams 6.1): to live streams, by name,
 * notification settings as booleans.
 *
 * @param db of a REPEATABLE READ transaction, so that nobody gets subscribers of a stream that he has left
 * @param options.traffic from `StreamTraffic`
 * @param options.nowSecs Unix time
 * @param options.withSubscriberEmails adds `subscribers`: sorted addresses of the members
 */
export async function listSubscriptions(
  db: Queryable,
  user: User,
  options: {
    readonly traffic: ReadonlyMap<number, number>;
    readonly nowSecs: number;
    readonly withSubscriberEmails: boolean;
  },
): Promise<ListedSubscription[]> {
  const subscriptions = (await findSubscriptions(db, user.id)).filter(({ isActive }) => isActive);
  const byStream = new Map(
    subscriptions.map((subscription) => [subscription.streamId, subscription]),
  );
  const streams = (await findStreamsByIds(db, [...byStream.keys()]))
    .filter((stream) => !stream.isDeactivated)
    .toSorted(byName);
  const emails = options.withSubscriberEmails
    ? await listMemberEmails(
        db,
        streams.map(({ id }) => id),
      )
    : undefined;
  const own = userSettings(user);
  return streams.flatMap((stream) => {
    const subscription = byStream.get(stream.id);
    if (subscription === undefined) return [];
    const settings = resolvedSubscription(subscription, own);
    const recent = options.traffic.get(stream.id) ?? 0;
    return [
      {
        ...subscriptionJson(stream, settings, recent, options.nowSecs),
        ...(emails && { subscribers: emails.get(stream.id) ?? [] }),
      },
    ];
  });
}
