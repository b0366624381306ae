import { audienceKey } from '@parley/event-log';
import { badEventQueueId, withoutCode } from '@parley/api';
import { deleteQueueEndpoint } from '@parley/api/events';
import { implement } from '@parley/server';
import { deleteEventQueue, findEventQueue } from '@parley/store';

import type { EventsContext } from '../context.ts';

export const deleteQueueHandler = implement(
  deleteQueueEndpoint,
  async (context: EventsContext, { caller, parameters }) => {
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
);
