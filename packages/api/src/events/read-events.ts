import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, numberParameter, textParameter } from '../declare/parameters.ts';
import { described, integer, listOf, object, optional, text } from '../declare/schema.ts';
import { anyEventSchema } from './any-event.ts';
import { queueParameters } from './queue-parameters.ts';

/** GET events (contract, Event queues; reference facts, events 6). */
export const getEventsEndpoint = declareEndpoint({
  name: 'get-events',
  method: 'GET',
  path: '/events',
  service: 'events',
  tag: 'Events',
  summary: 'Get events from a queue',
  description:
    'Returns the events with ids above `last_event_id`. If there are none it waits for one, unless `dont_block` is set. After a while it returns a heartbeat event. Without `queue_id` it registers a queue and answers at once.',
  example: {
    parameters: { queue_id: exampleVariables.queueId, last_event_id: exampleVariables.lastEventId },
  },
  access: { authentication: 'required' },
  parameters: [
    textParameter('queue_id', { description: 'The queue, from register.' }),
    numberParameter('last_event_id', {
      allowNegative: true,
      description: 'The highest event id received and acknowledged; required with `queue_id`.',
    }),
    booleanParameter('dont_block', {
      default: false,
      description: 'Answer at once, even without events.',
    }),
    ...queueParameters,
    numberParameter('lifespan_secs', {
      default: 0,
      isCapped: true,
      description: 'As `queue_lifespan_secs` of register.',
    }),
    numberParameter('queue_lifespan_secs', {
      default: 0,
      isCapped: true,
      description: 'The same, under the name in register.',
    }),
  ],
  success: object({
    events: listOf(anyEventSchema),
    queue_id: text,
    ...optional({
      last_event_id: described(integer, 'Of a queue that was registered by this request'),
    }),
  }),
  errors: ['BAD_EVENT_QUEUE_ID', 'BAD_NARROW'],
  // Endpoints whose answers contain a bot's key declare it.
  answersKey: false,
  eventQueue: 'held',
});

/** GET events/stream: a queue as Server-Sent Events. */
export const streamEventsEndpoint = declareEndpoint({
  name: 'stream-events',
  method: 'GET',
  path: '/events/stream',
  takesHeaders: ['last-event-id'],
  service: 'events',
  tag: 'Events',
  summary: 'Get events from a queue as a stream',
  description:
    'Answers the events of a queue as Server-Sent Events, with the guarantees of `GET events`: `id:` is the event id, `data:` the event, heartbeats included. `Last-Event-ID` acknowledges and resumes; if `last_event_id` is also given, the larger one counts. A refusal after the first byte is an event `error` with the JSON of the refusal. The stream ends by itself after an hour, and when the server is updated; the client reconnects with the last id. A new poll or stream of a queue ends the one before.',
  example: {
    parameters: { queue_id: exampleVariables.queueId, last_event_id: exampleVariables.lastEventId },
  },
  access: { authentication: 'required' },
  parameters: [
    textParameter('queue_id', { required: true, description: 'The queue, from register.' }),
    numberParameter('last_event_id', {
      allowNegative: true,
      description:
        'The highest event id received and acknowledged; required without a `Last-Event-ID` header.',
    }),
  ],
  success: [
    {
      contentType: 'text/event-stream',
      description:
        'Server-Sent Events, until either side ends it: `data:` is an event, or a refusal if the event is named `error`',
      event: anyEventSchema,
    },
  ],
  errors: ['BAD_EVENT_QUEUE_ID'],
  eventQueue: 'held',
});
