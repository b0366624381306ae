/** The subscriptions that GET users/me/subscriptions answers. */
import type { ListedSubscription } from '@parley/api/streams';
import type { Queryable } from '@parley/database';
import { subscriptionJson } from '@parley/store/objects';
import {
  findStreamsByIds,
  findSubscriptions,
  listMemberEmails,
  resolvedSubscription,
  userSettings,
} from '@parley/store';
import type { Stream, User } from '@parley/store';

// Postgres orders the other lists with the C collation, so this order is by code point too.
function byName(a: Stream, b: Stream): number {
  return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}

/**
 * The subscriptions of a person (contract, Subscription properties; reference facts, streams 6.1): to live streams, by name,
 * notification settings as booleans.
 *
 * @param db of a REPEATABLE READ transaction, so that nobody gets subscribers of a stream after leaving it
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
