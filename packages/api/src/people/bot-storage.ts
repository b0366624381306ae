import { declareEndpoint } from '../declare/endpoint.ts';
import { textListParameter } from '../declare/parameters.ts';
import { mapOf, object, text } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { textsParameter } from './texts-parameter.ts';

/** An account's own stored data. */

const path = '/bot_storage';
const keys = textListParameter('keys', { description: 'By default all keys' });

/** PUT bot_storage (reference facts, people 8). */
export const writeBotStorageEndpoint = declareEndpoint({
  name: 'write-bot-storage',
  method: 'PUT',
  path,
  service: 'people',
  tag: 'Bots',
  summary: 'Store texts under keys, only for the caller',
  example: { as: 'bot', parameters: { storage: { tide: 'low', wind: 'north-west' } } },
  access: { authentication: 'required' },
  parameters: [textsParameter('storage', { required: true, description: 'Texts by key' })],
  success: object({}),
  errors: ['BAD_REQUEST'],
  limits: { bodyMaxBytes: limits.storageBodyMaxBytes },
  afterLoss: 'repeat',
});

/** GET bot_storage (reference facts, people 8). */
export const readBotStorageEndpoint = declareEndpoint({
  name: 'read-bot-storage',
  method: 'GET',
  path,
  service: 'people',
  tag: 'Bots',
  summary: 'Read the stored texts of the caller',
  example: { as: 'bot', parameters: { keys: ['tide'] } },
  access: { authentication: 'required' },
  parameters: [keys],
  success: object({ storage: mapOf(text) }),
  errors: ['BAD_REQUEST'],
});

/** DELETE bot_storage (reference facts, people 8). */
export const deleteBotStorageEndpoint = declareEndpoint({
  name: 'delete-bot-storage',
  method: 'DELETE',
  path,
  service: 'people',
  tag: 'Bots',
  summary: 'Delete stored texts of the caller',
  example: { as: 'bot', parameters: { keys: ['wind'] } },
  access: { authentication: 'required' },
  parameters: [keys],
  success: object({}),
  errors: ['BAD_REQUEST'],
});
