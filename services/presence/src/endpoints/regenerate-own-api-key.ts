import { audienceKey, notAuthenticated } from '@parley/contracts';
import type { ChangeEntry, EventPart } from '@parley/contracts';
import { defineEndpoint } from '@parley/http';
import { lockUsersInUse, sealEventMembers, setApiKey } from '@parley/store';

import { botAudience } from '../accounts/bot-audience.ts';
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
  handler: async (context: PresenceContext, { caller }) => {
    const key = await context.eventLog.transaction(async (client) => {
      const [user] = await lockUsersInUse(client, { userIds: [caller.userId] });
      if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
      const apiKey = await setApiKey(client, context.keySecrets, user.id);
      // The key itself is only in the sealed part: the log holds no secret in the clear.
      const events: EventPart[] =
        user.botType === null
          ? []
          : [
              {
                form: 'same',
                audience: await botAudience(client, user),
                event: {
                  type: 'realm_bot',
                  op: 'update',
                  bot: { email: user.email, user_id: user.id },
                },
                sealed: {
                  member: 'bot',
                  text: sealEventMembers(context.keySecrets, { api_key: apiKey }),
                },
              },
            ];
      const entry: ChangeEntry = {
        v: 1,
        kind: 'change',
        effects: [{ effect: 'key-changed', userId: user.id }],
        events,
      };
      return {
        result: apiKey,
        append: {
          entries: [{ entry, audience: audienceKey.everyone }],
          accountUserIds: [user.id],
        },
      };
    });
    return { api_key: key };
  },
});
