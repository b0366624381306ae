import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { countTopics, listUnreadOfLeavers, setStreamFloorsAtChange } from '@parley/store';
import type { Stream, UnreadOfLeaver } from '@parley/store';

/** Look-ups that finding exactly what is unread may cost: one for each leaver and topic, some hundred thousand a second. */
const lookUpsMax = 50_000;
/** Ids that the entry of one request lists, and how many of one person and stream. */
const listedIdsMax = 200_000;
const listedIdsOfOneMax = 1_000;

/**
 * Marks everything in the streams of a request read for whoever left any of them, and tells so: one event for each person and stream
 * (reference facts, streams 5.3; events 11.4).
 *
 * A client needs every id that it may hold as unread. The events list exactly these where that is cheap; what is sent between the list
 * and their place in the log is added when they are told. Where a stream has many topics, many people leave or somebody has not read a
 * thousand messages, the event is made of what he held when it is told, whether read or not: reading twice changes nothing, and a list
 * that stops short would leave a client with unread messages for good. Either way a leaving costs the same in any stream.
 *
 * @param streams all that the request names: who left one of them may hold unread messages of another that he left before
 */
export async function markStreamsRead(
  client: Client,
  streams: readonly Stream[],
  leaverIds: readonly number[],
  changeId: number,
): Promise<EventPart[]> {
  const topics = await countTopics(
    client,
    streams.map(({ id }) => id),
  );
  let lookUps = 0;
  const listed = streams.filter(({ id }) => {
    lookUps += leaverIds.length * (topics.get(id) ?? 0);
    return lookUps <= lookUpsMax;
  });
  const leavings = (of: readonly Stream[]): { userId: number; streamId: number }[] =>
    of.flatMap(({ id }) => leaverIds.map((userId) => ({ userId, streamId: id })));
  const toList = leavings(listed);
  const idsOfOneMax = Math.min(
    listedIdsOfOneMax,
    Math.floor(listedIdsMax / Math.max(1, toList.length)),
  );
  const unread =
    toList.length === 0 ? [] : await listUnreadOfLeavers(client, toList, idsOfOneMax + 1);
  await setStreamFloorsAtChange(client, leavings(streams), changeId);
  const unreadByStream = Map.groupBy(unread, ({ streamId }) => streamId);
  return streams.flatMap(({ id }) => {
    const exact = (unreadByStream.get(id) ?? []).filter(({ ids }) => ids.length <= idsOfOneMax);
    return readEvents(id, leaverIds, exact);
  });
}

/** Who has the same unread messages shares an event. */
function readEvents(
  streamId: number,
  leaverIds: readonly number[],
  exact: readonly UnreadOfLeaver[],
): EventPart[] {
  const alike = [...Map.groupBy(exact, ({ ids }) => ids.join()).values()];
  const parts = alike.flatMap((people): EventPart[] => {
    const [first] = people;
    if (first === undefined) return [];
    const { ids, upToMessageId } = first;
    return [
      {
        form: 'left-stream-read',
        streamId,
        userIds: people.map(({ userId }) => userId),
        listed: { unreadIds: ids.toReversed(), upToMessageId },
      },
    ];
  });
  const listedIds = new Set(exact.map(({ userId }) => userId));
  const userIds = leaverIds.filter((userId) => !listedIds.has(userId));
  if (userIds.length > 0) parts.push({ form: 'left-stream-read', streamId, userIds });
  return parts;
}
