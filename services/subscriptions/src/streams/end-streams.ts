import type { Audience, EventPart } from '@parley/contracts';
import type { Client } from '@parley/database';
import {
  closeStreamMemberships,
  deactivateStreams,
  lockDefaultStreams,
  removeFromDefaultStreamGroups,
  streamJson,
} from '@parley/store';
import type { Stream } from '@parley/store';

import {
  defaultStreamGroupsEvents,
  defaultStreamsEvents,
} from '../default-streams/default-stream-events.ts';

/**
 * Deactivates streams that the caller has locked: nobody is a member any more, and they are no default streams (reference facts,
 * streams 8.2 and 10.3).
 *
 * @param audienceOf who hears that a stream is gone
 * @returns the events, in the order of the reference facts, streams 11.3
 */
export async function endStreams(
  client: Client,
  streams: readonly Stream[],
  changeId: number,
  audienceOf: (stream: Stream) => Audience,
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
    ...streams.map((stream): EventPart => ({
      form: 'same',
      audience: audienceOf(stream),
      event: { type: 'stream', op: 'delete', streams: [streamJson(stream)] },
    })),
  ];
}
