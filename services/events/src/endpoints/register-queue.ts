import { objectOf, registerStateMembers, text } from '@parley/api-schemas';
import { convertedNumber, defineEndpoint, json, preserialized } from '@parley/http';
import { getUser } from '@parley/store';

import type { EventsContext } from '../context.ts';
import { readInitialState } from '../initial-state/fetch-types.ts';
import { membersJson } from '../initial-state/json-text.ts';
import { lifespanOf } from '../queues/register-queue.ts';
import { queueParameters, readDescriptor } from './queue-parameters.ts';

export const registerQueueEndpoint = defineEndpoint({
  name: 'register-queue',
  method: 'POST',
  path: '/register',
  summary: 'Register an event queue',
  description:
    'Registers an event queue and returns the state of the fetched types as of `last_event_id`. Every later change of the types in `event_types` arrives as an event with a larger id.',
  example: { parameters: { event_types: ['message', 'alert_words'] } },
  access: { authentication: 'required' },
  parameters: [
    ...queueParameters,
    convertedNumber('queue_lifespan_secs', {
      default: 0,
      description:
        'Idle seconds after which the queue is collected; 0 is the default of ten minutes, a week the most.',
    }),
    json(
      'client_capabilities',
      {
        type: 'object',
        properties: { notification_settings_null: { type: 'boolean' } },
        additionalProperties: true,
      },
      {
        description:
          'What the client understands: `notification_settings_null`. Others are ignored.',
      },
    ),
  ],
  response: objectOf(
    {
      queue_id: text,
      last_event_id: { type: 'integer', description: 'The state is exact as of this event' },
    },
    registerStateMembers,
  ),
  async handler(context: EventsContext, { caller, parameters, clientName, signal }) {
    const { queueId, lastEventId, state } = await context.registers.take({
      userId: caller.userId,
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
          nowMs: Date.now(),
          keySecrets: context.keySecrets,
          server: context.server,
          newestPresence: context.newestPresence,
        }),
    });
    return preserialized(
      membersJson({
        result: 'success',
        msg: '',
        queue_id: queueId,
        last_event_id: lastEventId,
        ...state,
      }),
    );
  },
});
