import type { JsonSchema } from '@parley/http';

/** The answer of the endpoints that give out a key to whoever proved to be its owner. */
export const apiKeyAnswer: JsonSchema = {
  type: 'object',
  properties: {
    api_key: { type: 'string' },
    email: { type: 'string', description: 'the real address' },
  },
  required: ['api_key', 'email'],
};
