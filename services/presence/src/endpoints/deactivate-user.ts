import { defineEndpoint, pathInteger } from '@parley/http';

import { deactivateAccount } from '../accounts/deactivate-account.ts';
import type { PresenceContext } from '../context.ts';

/** DELETE users/{user_id} (reference facts, people 7.5). */
export const deactivateUser = defineEndpoint({
  name: 'deactivate-user',
  method: 'DELETE',
  path: '/users/:user_id',
  summary: 'Deactivate a person and all bots of that person',
  description: 'For administrators. The keys stop working and the event queues end at once.',
  access: { authentication: 'required' },
  parameters: [pathInteger('user_id', { description: 'The id of the person' })],
  response: { type: 'object', properties: {} },
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await deactivateAccount(context, caller, parameters.user_id);
    return {};
  },
});
