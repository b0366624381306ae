import { audienceKey, badEventQueueId, withoutCode } from '@parley/contracts';
import { defineEndpoint, exampleVariables, text } from '@parley/http';
import { deleteEventQueue, findEventQueue } from '@parley/store';

import type { EventsContext } from '../context.ts';

export const deleteQueueEndpoint = defineEndpoint({
  name: 'delete-queue',
  method: 'DELETE',
  path: '/events',
  summary: 'Delete an event queue',
  description:
    'The queue is gone at once, on every node; a poll that waits on it is answered with no events.',
  example: { parameters: { queue_id: exampleVariables.queueId } },
  access: { authentication: 'required' },
  parameters: [text('queue_id', { required: true, description: 'The queue, from register.' })],
  response: { type: 'object', properties: {} },
  errors: ['BAD_EVENT_QUEUE_ID'],
  async handler(context: EventsContext, { caller, parameters }) {
    const { queue_id: queueId } = parameters;
    const stored = await findEventQueue(context.pool, queueId);
    if (stored === undefined) throw badEventQueueId(queueId);
    if (stored.userId !== caller.userId)
      throw withoutCode('You are not authorized to access this queue');
    // Its end is an entry of the log, so that every node that has the queue in memory ends it there.
    const wasThere = await context.eventLog.transaction(async (client) => {
      const deleted = await deleteEventQueue(client, queueId, caller.userId);
      if (!deleted) return { result: false };
      const entry = {
        v: 1,
        kind: 'change',
        effects: [{ effect: 'queue-ended', queueId }],
        events: [],
      } as const;
      return {
        result: true,
        append: { entries: [{ entry, audience: audienceKey.user(caller.userId) }] },
      };
    });
    context.read.registry.peek(queueId)?.end();
    if (!wasThere) throw badEventQueueId(queueId);
    return {};
  },
});
