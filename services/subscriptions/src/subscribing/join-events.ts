import type { EventPart } from '@parley/event-log';
import { occupancyEvents, streamJson, subscriptionJson } from '@parley/store/objects';
import type { NewMembership, Stream, User } from '@parley/store';

import type { Joining } from './joining.ts';

export type JoinedChange = {
  readonly targets: readonly User[];
  readonly joined: readonly Joining[];
  readonly occupiedBefore: ReadonlySet<number>;
  readonly traffic: ReadonlyMap<number, number>;
  readonly nowMs: number;
};

/** @returns the events of a join, in the order of the reference facts, streams 11.3 */
export function joinEvents(change: JoinedChange): EventPart[] {
  const { joined } = change;
  const created = joined
    .filter(({ isNew }) => isNew)
    .map(({ stream }): EventPart => ({
      form: 'same',
      audience: { to: stream.inviteOnly ? 'administrators' : 'members' },
      event: { type: 'stream', op: 'create', streams: [streamJson(stream)] },
    }));
  return [
    ...created,
    ...occupyEvents(change),
    ...revealEvents(change),
    ...addEvents(change),
    ...peerEvents(joined),
  ];
}

function occupyEvents({ joined, occupiedBefore }: JoinedChange): EventPart[] {
  const occupied = joined.filter(
    ({ stream, members }) => members.length > 0 && !occupiedBefore.has(stream.id),
  );
  return occupancyEvents(
    'occupy',
    occupied.map(({ stream }) => stream),
  );
}

/** Each new member of a private stream gets a create event, except administrators, who already know the stream. */
function revealEvents({ targets, joined }: JoinedChange): EventPart[] {
  const administrators = new Set(
    targets.filter((target) => target.role === 'administrator').map((target) => target.id),
  );
  return joined.flatMap(({ stream, members }): EventPart[] => {
    const userIds = members
      .map((member) => member.userId)
      .filter((userId) => !administrators.has(userId));
    if (!stream.inviteOnly || userIds.length === 0) return [];
    return [
      {
        form: 'same',
        audience: { to: 'users', userIds },
        event: { type: 'stream', op: 'create', streams: [streamJson(stream)] },
      },
    ];
  });
}

type Added = { readonly stream: Stream; readonly member: NewMembership };

/** @returns equal texts for equal settings in the same stream; the largest requests call this fifty thousand times */
function settingsKey({ member }: Added): string {
  return `${member.streamId} ${member.color} ${member.isMuted} ${member.pinToTop} ${member.desktopNotifications} ${
    member.audibleNotifications
  } ${member.pushNotifications} ${member.emailNotifications} ${member.wildcardMentionsNotify}`;
}

/** One event per person with all joined streams. People with equal subscriptions, colours included, share one. */
function addEvents({ joined, traffic, nowMs }: JoinedChange): EventPart[] {
  const byUser = new Map<number, Added[]>();
  for (const { stream, members } of joined) {
    for (const member of members) {
      const known = byUser.get(member.userId);
      if (known === undefined) byUser.set(member.userId, [{ stream, member }]);
      else known.push({ stream, member });
    }
  }
  const alike = Map.groupBy(byUser, ([, added]) => added.map(settingsKey).join());
  return [...alike.values()].flatMap((people): EventPart[] => {
    const userIds = people.map(([userId]) => userId);
    const [[userId, added] = [0, []]] = people;
    const subscriptions = added.map(({ stream, member }) =>
      subscriptionJson(stream, member, traffic.get(stream.id) ?? 0, nowMs / 1000),
    );
    return userIds.length === 1
      ? [{ form: 'subscription-add', userId, subscriptions }]
      : [{ form: 'shared-subscription-add', userIds, subscriptions }];
  });
}

function peerEvents(joined: readonly Joining[]): EventPart[] {
  return joined
    .filter(({ members }) => members.length > 0)
    .map(({ stream, members }) => ({
      form: 'peers',
      op: 'peer_add',
      streamId: stream.id,
      streamName: stream.name,
      inviteOnly: stream.inviteOnly,
      userIds: members.map((member) => member.userId),
      to: 'list-holders',
    }));
}
