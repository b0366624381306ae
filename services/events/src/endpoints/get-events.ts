import { badRequest, ownerIdOf } from '@parley/api';
import { getEventsEndpoint } from '@parley/api/events';
import { implement } from '@parley/server';

import type { EventsContext } from '../context.ts';
import { readDescriptor } from '../queues/requested-queue.ts';
import { poll } from '../queues/poll.ts';
import { getQueue } from '../queues/queue-reader.ts';
import { lifespanOf } from '../queues/register-queue.ts';

export const getEventsHandler = implement(
  getEventsEndpoint,
  async (context: EventsContext, { caller, parameters, clientName, signal }) => {
    if (parameters.queue_id === undefined) {
      const { queueId, lastEventId } = await context.registers.take({
        userId: caller.userId,
        ownerId: ownerIdOf(caller),
        client: clientName,
        lifespanSecs: lifespanOf(
          parameters.lifespan_secs || parameters.queue_lifespan_secs,
          context.queues,
        ),
        signal,
        // The defaults of an account apply only to register (reference facts, events 6.1).
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
    // Differs from the usual refusal of a missing parameter: it names no variable (reference facts, events 6.3).
    if (parameters.last_event_id === undefined)
      throw badRequest("Missing 'last_event_id' argument");
    const queue = await getQueue(context.read, parameters.queue_id, caller.userId);
    return poll(context, queue, {
      lastEventId: parameters.last_event_id,
      dontBlock: parameters.dont_block,
      signal,
    });
  },
);
