import { anyEventSchema } from '@parley/api-schemas';
import { badRequest } from '@parley/contracts';
import { convertedNumber, defineEndpoint, exampleVariables, rawAnswer, text } from '@parley/http';

import type { EventsContext } from '../context.ts';
import { getQueue } from '../queues/queue-reader.ts';

/** What a client of Server-Sent Events sends by itself when it comes back. */
const lastEventIdHeader = convertedNumber('Last-Event-ID', {
  required: true,
  allowNegative: true,
  description: 'The id of the last event received.',
});

/**
 * Where a stream goes on: a client that comes back repeats the address with which it began, and adds the header, so the larger of both
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

export const streamEventsEndpoint = defineEndpoint({
  name: 'stream-events',
  method: 'GET',
  path: '/events/stream',
  summary: 'Get events from a queue as a stream',
  description:
    'Answers the events of a queue as Server-Sent Events, with the guarantees of `GET events`: `id:` is the event id, `data:` the event, heartbeats included. `Last-Event-ID` acknowledges and resumes; where `last_event_id` is given too, the larger counts. A refusal after the first byte is an event `error` with the JSON of the refusal. The stream ends by itself after an hour, and when the server is updated; the client comes back with the last id. A poll and a stream of one queue end each other.',
  example: {
    parameters: { queue_id: exampleVariables.queueId, last_event_id: exampleVariables.lastEventId },
  },
  access: { authentication: 'required' },
  parameters: [
    text('queue_id', { required: true, description: 'The queue, from register.' }),
    convertedNumber('last_event_id', {
      allowNegative: true,
      description:
        'The highest event id received and acknowledged; required without a `Last-Event-ID` header.',
    }),
  ],
  response: { type: 'object', properties: {} },
  rawResponse: {
    contentType: 'text/event-stream',
    description:
      'Server-Sent Events, until either side ends it: `data:` is an event, or a refusal where the event is named `error`',
    event: anyEventSchema,
  },
  errors: ['BAD_EVENT_QUEUE_ID'],
  longPoll: true,
  async handler(context: EventsContext, { caller, parameters, header, signal }) {
    const lastEventId = lastEventIdOf(parameters.last_event_id, header('last-event-id'));
    const queue = await getQueue(context.read, parameters.queue_id, caller.userId);
    const body = await context.streams.open(queue, { lastEventId, signal });
    return rawAnswer(
      200,
      {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate',
        // Proxies such as nginx would gather the events of a stream.
        'X-Accel-Buffering': 'no',
      },
      body,
    );
  },
});
