import { ownerIdOf } from '@parley/api';
import type { AnswerOf } from '@parley/api';
import { registerQueueEndpoint } from '@parley/api/events';
import { implement } from '@parley/server';
import { getUser } from '@parley/store';

import type { EventsContext } from '../context.ts';
import { readInitialState } from '../initial-state/fetch-types.ts';
import { answerOf } from '../initial-state/json-text.ts';
import { readDescriptor } from '../queues/requested-queue.ts';
import { lifespanOf } from '../queues/register-queue.ts';

export const registerQueueHandler = implement(
  registerQueueEndpoint,
  async (context: EventsContext, { caller, parameters, clientName, signal, takesGzip }) => {
    const { queueId, lastEventId, state } = await context.registers.take({
      userId: caller.userId,
      ownerId: ownerIdOf(caller),
      client: clientName,
      lifespanSecs: lifespanOf(parameters.queue_lifespan_secs, context.queues),
      signal,
      describe: (snapshot) => readDescriptor(snapshot, caller.userId, parameters),
      readState: async (snapshot, epoch) =>
        readInitialState(snapshot, parameters.fetch_event_types ?? parameters.event_types, {
          user: await getUser(snapshot, caller.userId),
          clientGravatar: parameters.client_gravatar,
          includeSubscribers: parameters.include_subscribers,
          nullSettings: parameters.client_capabilities?.notification_settings_null === true,
          traffic: context.traffic,
          kept: context.keptState.at(snapshot, epoch),
          openMembers: () => context.memberLists.openAt(snapshot, epoch),
          nowMs: context.clock.nowMs(),
          keySecrets: context.keySecrets,
          server: context.server,
          newestPresence: context.newestPresence,
        }),
    });
    return answerOf<AnswerOf<typeof registerQueueEndpoint>>(
      { queue_id: queueId, last_event_id: lastEventId, ...state },
      takesGzip,
    );
  },
);
