import { firstMessagesMax } from '@parley/composing';
import type { ChangeContent } from '@parley/event-log';
import type { User } from '@parley/store';

import { createdIds } from './joining.ts';
import type { Joining } from './joining.ts';

type Notices = NonNullable<ChangeContent['sideEffects']>;

/**
 * The notices of a join (reference facts, streams 5.2), as side effects of its entry.
 *
 * @param join.notifiesPeople whether the request named people: then each person, but no bot, learns who added the subscription to a
 *   stream that existed before
 * @param join.announcementStreamId the stream where new public streams are announced; private streams are not, because everybody reads it
 */
export function joinNotices(join: {
  readonly actor: User;
  readonly targets: readonly User[];
  readonly joined: readonly Joining[];
  readonly notifiesPeople: boolean;
  readonly announcementStreamId: number | undefined;
}): Notices {
  const { actor, joined, announcementStreamId } = join;
  return [
    ...(join.notifiesPeople ? subscribedNotices(join) : []),
    ...createdNotices(joined, actor.id, announcementStreamId),
  ];
}

/** First messages beyond those that come with the change, then the announcement. */
function createdNotices(
  joined: readonly Joining[],
  actorId: number,
  announcementStreamId: number | undefined,
): Notices {
  const announced = createdIds(joined.filter(({ stream }) => !stream.inviteOnly));
  const announcement =
    announcementStreamId === undefined || announced.length === 0
      ? undefined
      : { target: announcementStreamId, streamIds: announced };
  const [target, ...following] = createdIds(joined).slice(firstMessagesMax);
  if (target !== undefined)
    return [
      {
        kind: 'stream-created-notice',
        target,
        following,
        actorId,
        ...(announcement && { announcement }),
      },
    ];
  return announcement === undefined
    ? []
    : [{ kind: 'new-streams-notice', actorId, ...announcement }];
}

function subscribedNotices({
  actor,
  targets,
  joined,
}: {
  readonly actor: User;
  readonly targets: readonly User[];
  readonly joined: readonly Joining[];
}): Notices {
  const recipientIds = new Set(
    targets.filter(({ id, botType }) => id !== actor.id && botType === null).map(({ id }) => id),
  );
  const streamsOf = new Map<number, number[]>();
  for (const { stream, members, isNew } of joined) {
    if (isNew) continue;
    for (const { userId } of members) {
      if (!recipientIds.has(userId)) continue;
      const known = streamsOf.get(userId);
      if (known === undefined) streamsOf.set(userId, [stream.id]);
      else known.push(stream.id);
    }
  }
  const alike = Map.groupBy(streamsOf, ([, streamIds]) => streamIds.join());
  return [...alike.values()].map((people) => ({
    kind: 'subscribed-notice' as const,
    targets: people.map(([userId]) => userId),
    actorId: actor.id,
    streamIds: people[0]?.[1] ?? [],
  }));
}
