import { badRequest, numberParameter } from '@parley/api';
import { streamEventsEndpoint } from '@parley/api/events';
import { implement } from '@parley/server';

import type { EventsContext } from '../context.ts';
import { openStream, streamOfHeaders } from '../queues/event-stream.ts';
import { getQueue } from '../queues/queue-reader.ts';

/** A client of Server-Sent Events sends it when it reconnects. */
const lastEventIdHeader = numberParameter('Last-Event-ID', {
  required: true,
  allowNegative: true,
  description: 'The id of the last event received.',
});

/**
 * The position at which a stream continues: a reconnecting client repeats its first address and adds the header, so the larger value
 * counts.
 *
 * @throws ApiError as `GET events` refuses `last_event_id` (reference facts, events 6.3)
 */
function lastEventIdOf(inQuery: number | undefined, inHeader: string | undefined): number {
  const given = [
    ...(inQuery === undefined ? [] : [inQuery]),
    ...(inHeader === undefined || inHeader === '' ? [] : [lastEventIdHeader.decode(inHeader)]),
  ];
  if (given.length === 0) throw badRequest("Missing 'last_event_id' argument");
  return Math.max(...given);
}

export const streamEventsHandler = implement(
  streamEventsEndpoint,
  async (context: EventsContext, { caller, parameters, header, isHead, signal }) => {
    const lastEventId = lastEventIdOf(parameters.last_event_id, header('last-event-id'));
    const queue = await getQueue(context.read, parameters.queue_id, caller.userId);
    if (isHead) return streamOfHeaders;
    return openStream(context, queue, { lastEventId, signal });
  },
);
