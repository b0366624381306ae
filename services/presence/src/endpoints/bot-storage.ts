import { defineEndpoint, json, jsonStringList } from '@parley/http';

import { deleteStorage, readStorage, writeStorage } from '../bots/change-storage.ts';
import type { PresenceContext } from '../context.ts';
import { emptyAnswer } from './empty-answer.ts';
import { ofTexts } from './texts-parameter.ts';

const keys = jsonStringList('keys', { description: 'By default all keys' });

/** PUT bot_storage (reference facts, people 8). */
export const writeBotStorageEndpoint = defineEndpoint({
  name: 'write-bot-storage',
  method: 'PUT',
  path: '/bot_storage',
  summary: 'Store texts under keys, for the caller alone',
  example: { as: 'bot', parameters: { storage: { tide: 'low', wind: 'north-west' } } },
  access: { authentication: 'required' },
  parameters: [
    ofTexts(json('storage', { type: 'object' }, { required: true, description: 'Texts by key' })),
  ],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await writeStorage(context, caller, new Map(Object.entries(parameters.storage)));
    return {};
  },
});

/** GET bot_storage (reference facts, people 8). */
export const readBotStorageEndpoint = defineEndpoint({
  name: 'read-bot-storage',
  method: 'GET',
  path: '/bot_storage',
  summary: 'Read what the caller stored',
  example: { as: 'bot', parameters: { keys: ['tide'] } },
  access: { authentication: 'required' },
  parameters: [keys],
  response: {
    type: 'object',
    properties: { storage: { type: 'object', additionalProperties: { type: 'string' } } },
    required: ['storage'],
  },
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => ({
    storage: await readStorage(context, caller, parameters.keys),
  }),
});

/** DELETE bot_storage (reference facts, people 8). */
export const deleteBotStorageEndpoint = defineEndpoint({
  name: 'delete-bot-storage',
  method: 'DELETE',
  path: '/bot_storage',
  summary: 'Delete what the caller stored',
  example: { as: 'bot', parameters: { keys: ['wind'] } },
  access: { authentication: 'required' },
  parameters: [keys],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await deleteStorage(context, caller, parameters.keys);
    return {};
  },
});
