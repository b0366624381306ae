import type { Queryable } from '@parley/database';

import { listMemberEmails, listMembers } from './memberships.ts';
import { ageFields, streamJson, subscriptionJson } from './stream-json.ts';
import type { SubscriptionSettings } from './stream-json.ts';
import { findStreamsByIds, listStreams } from './streams.ts';
import type { Stream } from './streams.ts';
import { userSettings } from './user-settings.ts';
import type { User } from './users.ts';

/** The lists of subscriptions that GET users/me/subscriptions and register answer. */

type StoredSubscription = SubscriptionSettings & {
  readonly streamId: number;
  readonly isActive: boolean;
};

async function findSubscriptions(db: Queryable, userId: number): Promise<StoredSubscription[]> {
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

/** Null settings become the person's own defaults, as booleans (reference facts, streams 6.3). */
function resolved(subscription: StoredSubscription, user: User): StoredSubscription {
  const own = userSettings(user);
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

export type SubscriptionObject = Readonly<Record<string, unknown>>;

type Subscribed = { readonly stream: Stream; readonly subscription: StoredSubscription };

async function findSubscribedStreams(
  db: Queryable,
  userId: number,
): Promise<{ subscribed: Subscribed[]; unsubscribed: Subscribed[] }> {
  const subscriptions = await findSubscriptions(db, userId);
  const streams = await findStreamsByIds(
    db,
    subscriptions.map((subscription) => subscription.streamId),
  );
  const byStream = new Map(
    subscriptions.map((subscription) => [subscription.streamId, subscription]),
  );
  const subscribed: Subscribed[] = [];
  const unsubscribed: Subscribed[] = [];
  for (const stream of streams.filter((candidate) => !candidate.isDeactivated).toSorted(byName)) {
    const subscription = byStream.get(stream.id);
    if (subscription === undefined) continue;
    (subscription.isActive ? subscribed : unsubscribed).push({ stream, subscription });
  }
  return { subscribed, unsubscribed };
}

/**
 * The subscriptions of a person (contract, Subscription properties; reference facts, streams 6.1): to live streams, by name,
 * notification settings as booleans.
 *
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
): Promise<SubscriptionObject[]> {
  const { subscribed } = await findSubscribedStreams(db, user.id);
  const emails = options.withSubscriberEmails
    ? await listMemberEmails(
        db,
        subscribed.map(({ stream }) => stream.id),
      )
    : undefined;
  return subscribed.map(({ stream, subscription }) => ({
    ...subscriptionJson(
      stream,
      resolved(subscription, user),
      options.traffic.get(stream.id) ?? 0,
      options.nowSecs,
    ),
    ...(emails && { subscribers: emails.get(stream.id) ?? [] }),
  }));
}

/** What register answers for the fetch type `subscription` (reference facts, streams 6.2). */
export type SubscriptionState = {
  readonly subscriptions: SubscriptionObject[];
  readonly unsubscribed: SubscriptionObject[];
  readonly never_subscribed: SubscriptionObject[];
};

/** @returns the stream as those know it who were in it and do not see it any more: it may have been described anew since */
export function withoutSubject(stream: Stream): Stream {
  return { ...stream, description: '', renderedDescription: '', firstMessageId: null };
}

/**
 * Reads the three lists of register. Of a stream that the person cannot read, neither traffic nor (unless an administrator)
 * the subscribers and what it is about are told: it may have been described anew since he left.
 *
 * @param options.nullSettings the client knows null notification settings; otherwise they become booleans
 */
export async function readSubscriptionState(
  db: Queryable,
  user: User,
  options: {
    readonly traffic: ReadonlyMap<number, number>;
    readonly nowSecs: number;
    readonly includeSubscribers: boolean;
    readonly nullSettings: boolean;
  },
): Promise<SubscriptionState> {
  const isAdministrator = user.role === 'administrator';
  const isGuest = user.role === 'guest';
  const { subscribed, unsubscribed } = await findSubscribedStreams(db, user.id);
  const known = new Set([...subscribed, ...unsubscribed].map(({ stream }) => stream.id));
  const visible = isGuest
    ? []
    : await listStreams(db, {
        public: true,
        defaultsOf: null,
        allActive: isAdministrator,
        subscriberIds: [],
      });
  const never = visible.filter((stream) => !known.has(stream.id));
  const unsubscribedWithMembers = unsubscribed.filter(
    ({ stream }) => !isGuest && (isAdministrator || !stream.inviteOnly),
  );
  const shown = [...subscribed, ...unsubscribedWithMembers]
    .map(({ stream }) => stream)
    .concat(never);
  const members = options.includeSubscribers
    ? await listMembers(
        db,
        shown.map((stream) => stream.id),
      )
    : undefined;
  const withMembers = new Set(shown.map((stream) => stream.id));
  const membersOf = (stream: Stream): { subscribers?: number[] } =>
    members !== undefined && withMembers.has(stream.id)
      ? { subscribers: members.get(stream.id) ?? [] }
      : {};
  const personal =
    (isReadable: (stream: Stream) => boolean) =>
    ({ stream, subscription }: Subscribed): SubscriptionObject => ({
      ...subscriptionJson(
        isReadable(stream) || isAdministrator ? stream : withoutSubject(stream),
        options.nullSettings ? subscription : resolved(subscription, user),
        isReadable(stream) ? (options.traffic.get(stream.id) ?? 0) : 0,
        options.nowSecs,
      ),
      ...membersOf(stream),
    });
  return {
    subscriptions: subscribed.map(personal(() => true)),
    unsubscribed: unsubscribed.map(personal((stream) => !stream.inviteOnly && !isGuest)),
    never_subscribed: never.map((stream) => ({
      ...streamJson(stream),
      // Reference facts, streams 3.3: the traffic of never-subscribed streams is told as if they were silent.
      ...ageFields(stream, 0, options.nowSecs),
      ...membersOf(stream),
    })),
  };
}
