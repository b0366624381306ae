import { anyEventSchema, listOf, objectOf } from '@parley/api-schemas';
import { badRequest } from '@parley/contracts';
import { convertedNumber, defineEndpoint, exampleVariables, jsonBoolean, text } from '@parley/http';

import type { EventsContext } from '../context.ts';
import { poll } from '../queues/poll.ts';
import { getQueue } from '../queues/queue-reader.ts';
import { lifespanOf } from '../queues/register-queue.ts';
import { queueParameters, readDescriptor } from './queue-parameters.ts';

export const getEventsEndpoint = defineEndpoint({
  name: 'get-events',
  method: 'GET',
  path: '/events',
  summary: 'Get events from a queue',
  description:
    'Returns the events with ids above `last_event_id`. Unless `dont_block` is set, it waits for one; after a while a heartbeat event is returned. Without `queue_id` a queue is registered and answered at once.',
  example: {
    parameters: { queue_id: exampleVariables.queueId, last_event_id: exampleVariables.lastEventId },
  },
  access: { authentication: 'required' },
  parameters: [
    text('queue_id', { description: 'The queue, from register.' }),
    convertedNumber('last_event_id', {
      allowNegative: true,
      description: 'The highest event id received and acknowledged; required with `queue_id`.',
    }),
    jsonBoolean('dont_block', {
      default: false,
      description: 'Answer at once, even with nothing.',
    }),
    ...queueParameters,
    convertedNumber('lifespan_secs', {
      default: 0,
      description: 'As `queue_lifespan_secs` of register.',
    }),
    convertedNumber('queue_lifespan_secs', {
      default: 0,
      description: 'The same under the name that register uses.',
    }),
  ],
  response: objectOf(
    { events: listOf(anyEventSchema), queue_id: { type: 'string' } },
    {
      last_event_id: {
        type: 'integer',
        description: 'Of a queue that was registered by this request',
      },
    },
  ),
  errors: ['BAD_EVENT_QUEUE_ID'],
  longPoll: true,
  async handler(context: EventsContext, { caller, parameters, clientName, signal }) {
    if (parameters.queue_id === undefined) {
      const { queueId, lastEventId } = await context.registers.take({
        userId: caller.userId,
        client: clientName,
        lifespanSecs: lifespanOf(
          parameters.lifespan_secs || parameters.queue_lifespan_secs,
          context.queues,
        ),
        signal,
        // What an account is set up with is the default of register alone (reference facts, events 6.1).
        describe: (snapshot) =>
          readDescriptor(snapshot, caller.userId, {
            ...parameters,
            all_public_streams: parameters.all_public_streams ?? false,
            narrow: parameters.narrow ?? [],
          }),
        readState: async () => ({}),
      });
      return { events: [], queue_id: queueId, last_event_id: lastEventId };
    }
    // Not the usual refusal of a missing parameter: this one names no variable (reference facts, events 6.3).
    if (parameters.last_event_id === undefined)
      throw badRequest("Missing 'last_event_id' argument");
    const queue = await getQueue(context.read, parameters.queue_id, caller.userId);
    return poll(context, queue, {
      lastEventId: parameters.last_event_id,
      dontBlock: parameters.dont_block,
      signal,
    });
  },
});
