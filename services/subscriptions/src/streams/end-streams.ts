import type { Audience, EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { streamJson, withoutDescription } from '@parley/store/objects';
import {
  closeStreamMemberships,
  deactivateStreams,
  getRealm,
  lockDefaultStreams,
  removeFromDefaultStreamGroups,
} from '@parley/store';
import type { Stream } from '@parley/store';

import {
  defaultStreamGroupsEvents,
  defaultStreamsEvents,
} from '../default-streams/default-stream-events.ts';

/**
 * Deactivates streams that the caller has locked. They lose their members and are no longer default streams (reference facts,
 * streams 8.2 and 10.3).
 *
 * @param ending.audienceOf the audience that could see a stream
 * @param ending.asBefore whether its members see it until this change, not only before it. Former members also have the stream in their
 *   register lists, so they get an event too, without a recent description
 * @returns the events, in the order of the reference facts, streams 11.3
 */
export async function endStreams(
  client: Client,
  streams: readonly Stream[],
  changeId: number,
  ending: { readonly audienceOf: (stream: Stream) => Audience; readonly asBefore: boolean },
): Promise<EventPart[]> {
  if (streams.length === 0) return [];
  const streamIds = streams.map(({ id }) => id);
  await lockDefaultStreams(client);
  await closeStreamMemberships(client, streamIds, changeId);
  await deactivateStreams(client, streams);
  const wereInGroups = await removeFromDefaultStreamGroups(client, streamIds);
  return [
    ...(streams.some(({ isDefault }) => isDefault) ? await defaultStreamsEvents(client) : []),
    ...(wereInGroups ? await defaultStreamGroupsEvents(client) : []),
    ...streams.flatMap((stream): EventPart[] => [
      deleteEvent(stream, ending.audienceOf(stream)),
      deleteEvent(withoutDescription(stream), {
        to: 'former-viewers',
        streamId: stream.id,
        inviteOnly: stream.inviteOnly,
        ...(ending.asBefore && { asBefore: true }),
      }),
    ]),
    ...(await announcementEvents(client, streamIds)),
  ];
}

function deleteEvent(stream: Stream, audience: Audience): EventPart {
  return {
    form: 'same',
    audience,
    event: { type: 'stream', op: 'delete', streams: [streamJson(stream)] },
  };
}

/** Resets settings that name an ended stream: register answers -1 for it, and not everybody received the event of its end. */
async function announcementEvents(
  client: Client,
  streamIds: readonly number[],
): Promise<EventPart[]> {
  const { notificationsStreamId, signupNotificationsStreamId } = await getRealm(client);
  const uses = [
    ['notifications_stream_id', notificationsStreamId],
    ['signup_notifications_stream_id', signupNotificationsStreamId],
  ] as const;
  return uses
    .filter(([, streamId]) => streamId !== null && streamIds.includes(streamId))
    .map(([property]) => ({
      form: 'same',
      audience: { to: 'everyone' },
      event: { type: 'realm', op: 'update', property, value: -1 },
    }));
}
