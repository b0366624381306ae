import { defineEndpoint } from '@parley/http';

import { replaceApiKey } from '../accounts/replace-api-key.ts';
import type { PresenceContext } from '../context.ts';

/** POST users/me/api_key/regenerate (reference facts, people 5.4): the old key stops working at once. */
export const regenerateOwnApiKey = defineEndpoint({
  name: 'regenerate-own-api-key',
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  summary: "Replace the caller's API key",
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: { api_key: { type: 'string' } },
    required: ['api_key'],
  },
  handler: async (context: PresenceContext, { caller }) => ({
    api_key: await replaceApiKey(context, caller),
  }),
});
