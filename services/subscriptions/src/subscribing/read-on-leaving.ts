import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { countTopics, listUnreadOfLeavers, setStreamFloorsAtChange } from '@parley/store';
import type { Stream, UnreadOfLeaver } from '@parley/store';

/** The most look-ups for finding the exact unread messages: one per leaver and topic, at some hundred thousand a second. */
const lookUpsMax = 50_000;
/** The most ids in the entry of one request, and of one person and stream. */
const listedIdsMax = 200_000;
const listedIdsOfOneMax = 1_000;

/**
 * Marks everything in the streams of a request as read for everyone who left any of them, with one event per person and stream (reference
 * facts, streams 5.3; events 11.4).
 *
 * A client needs every id that it may have as unread. If that is cheap, the events list exactly these ids, and messages between the list
 * and the event's position are added at delivery. If a stream has many topics, many people leave, or somebody has more than a thousand
 * unread messages, delivery lists all messages that the person held, read or not: reading twice changes nothing, but an incomplete list
 * would leave a client with unread messages for good. In both cases leaving costs the same in any stream.
 *
 * @param streams all streams of the request: a person who left one may have unread messages of another that was left before
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

/** People with the same unread messages share an event. */
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
