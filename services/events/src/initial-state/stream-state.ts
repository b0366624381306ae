/** Register's answer about streams, as JSON text: most of it is the same for everybody and made once. */
import type { Queryable } from '@parley/database';
import { ageFields, personalFields, streamJson, withoutDescription } from '@parley/store/objects';
import {
  findSubscriptions,
  listStreams,
  mayReadStream,
  maySeeStream,
  resolvedSubscription,
  userSettings,
} from '@parley/store';
import type { Stream, StreamTraffic, User } from '@parley/store';

import type { ReadMembers } from './member-lists.ts';

/** A stream, and the members of its stream object as JSON text without the braces. */
export type DescribedStream = { readonly stream: Stream; readonly text: string };

/** @returns all live streams, without regard to visibility, by name in code-point order */
export async function describeStreams(db: Queryable): Promise<DescribedStream[]> {
  const streams = await listStreams(db, {
    public: true,
    defaultsOf: null,
    allActive: true,
    subscriberIds: [],
  });
  return streams.map((stream) => ({ stream, text: membersText(streamJson(stream)) }));
}

function membersText(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

function listText(objects: readonly string[]): string {
  return `[${objects.map((members) => `{${members}}`).join(',')}]`;
}

/**
 * @param describing from `describeStreams`
 * @returns the streams that a person sees or is subscribed to, a JSON list of stream objects (reference facts, events 4)
 */
export async function streamListText(
  db: Queryable,
  user: User,
  describing: Promise<readonly DescribedStream[]>,
): Promise<string> {
  const [streams, subscriptions] = await Promise.all([describing, findSubscriptions(db, user.id)]);
  const own = new Set(
    subscriptions.filter(({ isActive }) => isActive).map(({ streamId }) => streamId),
  );
  const shown = streams.filter(({ stream }) => mayReadStream(user, stream, own.has(stream.id)));
  return listText(shown.map(({ text }) => text));
}

/** What register answers for the fetch type `subscription` (reference facts, streams 6.2): JSON lists. */
export type SubscriptionTexts = {
  readonly subscriptions: string;
  readonly unsubscribed: string;
  readonly never_subscribed: string;
};

/**
 * Reads the three lists of register. For a stream that the person cannot read, they omit traffic and, except for administrators,
 * subscribers and description, which may be newer than the person's membership.
 *
 * @param describing from `describeStreams`
 * @param options.nowSecs Unix time
 * @param options.nullSettings the client knows null notification settings; otherwise they become booleans
 */
export async function readSubscriptionState(
  db: Queryable,
  user: User,
  describing: Promise<readonly DescribedStream[]>,
  options: {
    readonly traffic: StreamTraffic;
    readonly openMembers: () => Promise<ReadMembers>;
    readonly nowSecs: number;
    readonly includeSubscribers: boolean;
    readonly nullSettings: boolean;
  },
): Promise<SubscriptionTexts> {
  const own = userSettings(user);
  const [streams, subscriptions, traffic, readMembers] = await Promise.all([
    describing,
    findSubscriptions(db, user.id),
    options.traffic.counts(db),
    options.includeSubscribers ? options.openMembers() : undefined,
  ]);
  const byStream = new Map(
    subscriptions.map((subscription) => [subscription.streamId, subscription]),
  );
  const isActive = ({ stream }: DescribedStream): boolean =>
    byStream.get(stream.id)?.isActive === true;
  const isVisible = ({ stream }: DescribedStream): boolean => maySeeStream(user, stream, false);
  const known = streams.filter(({ stream }) => byStream.has(stream.id));
  const never = streams.filter((each) => !byStream.has(each.stream.id) && isVisible(each));
  const withMembers = known.filter((each) => isActive(each) || isVisible(each)).concat(never);
  const members = await readMembers?.(withMembers.map(({ stream }) => stream.id));
  const subscribersText = ({ id }: Stream): string => {
    const ids = members?.get(id);
    return ids === undefined ? '' : `,"subscribers":${ids}`;
  };
  const personalText =
    (isMember: boolean) =>
    ({ stream, text }: DescribedStream): string => {
      const subscription = byStream.get(stream.id);
      if (subscription === undefined) throw new Error('a known stream has no subscription');
      const isReadable = mayReadStream(user, stream, isMember);
      const subject = maySeeStream(user, stream, isMember)
        ? text
        : membersText(streamJson(withoutDescription(stream)));
      const personal = personalFields(
        stream,
        options.nullSettings ? subscription : resolvedSubscription(subscription, own),
        isReadable ? (traffic.get(stream.id) ?? 0) : 0,
        options.nowSecs,
      );
      return `${subject},${membersText(personal)}${subscribersText(stream)}`;
    };
  return {
    subscriptions: listText(known.filter(isActive).map(personalText(true))),
    unsubscribed: listText(known.filter((each) => !isActive(each)).map(personalText(false))),
    never_subscribed: listText(
      never.map(({ stream, text }) => {
        // Reference facts, streams 3.3: never-subscribed streams have the traffic of silent ones.
        const age = membersText(ageFields(stream, 0, options.nowSecs));
        return `${text},${age}${subscribersText(stream)}`;
      }),
    ),
  };
}
