import { Type } from 'typebox';

import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { jsonParameter, numberParameter, textParameter } from '../declare/parameters.ts';
import { boolean, described, integer, object, optional, text } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { queueParameters } from './queue-parameters.ts';
import { registerStateMembers } from './register-state.ts';

/** POST register (contract, Event queues; reference facts, events 3). */
export const registerQueueEndpoint = declareEndpoint({
  name: 'register-queue',
  method: 'POST',
  path: '/register',
  service: 'events',
  tag: 'Events',
  summary: 'Register an event queue',
  description:
    'Registers an event queue and returns the state of the fetched types as of `last_event_id`. Every later change of the types in `event_types` arrives as an event with a larger id.',
  example: { parameters: { event_types: ['message', 'alert_words'] } },
  access: { authentication: 'required' },
  parameters: [
    ...queueParameters,
    numberParameter('queue_lifespan_secs', {
      default: 0,
      isCapped: true,
      description:
        'Idle seconds after which the queue is collected; 0 is the default of ten minutes, a week the most.',
    }),
    jsonParameter(
      'client_capabilities',
      Type.Object(optional({ notification_settings_null: boolean }), {
        additionalProperties: true,
      }),
      {
        description: 'What the client supports: `notification_settings_null`. Others are ignored.',
      },
    ),
  ],
  success: object({
    queue_id: text,
    last_event_id: described(integer, 'The state is exact as of this event'),
    ...registerStateMembers,
  }),
  errors: ['BAD_NARROW'],
  afterLoss: 'lapses',
  limits: { cost: 5, waitMaxMs: limits.registerWaitMaxMs, turns: 'none' },
  compresses: true,
});

/** DELETE events (contract, Event queues; reference facts, events 2). */
export const deleteQueueEndpoint = declareEndpoint({
  name: 'delete-queue',
  method: 'DELETE',
  path: '/events',
  service: 'events',
  tag: 'Events',
  summary: 'Delete an event queue',
  description: 'The queue ends at once, on every node. A waiting poll is answered without events.',
  example: { parameters: { queue_id: exampleVariables.queueId } },
  access: { authentication: 'required' },
  parameters: [
    textParameter('queue_id', { required: true, description: 'The queue, from register.' }),
  ],
  success: object({}),
  errors: ['BAD_EVENT_QUEUE_ID'],
  eventQueue: 'addressed',
});
