import type { JsonSchema, Refusal } from '@parley/http';

/** The answer of the endpoints that give out a key to whoever proved to be its owner. */
export const apiKeyAnswer: JsonSchema = {
  type: 'object',
  properties: {
    api_key: { type: 'string' },
    email: { type: 'string', description: 'the real address' },
  },
  required: ['api_key', 'email'],
};

/** How they refuse whoever is not, or may not sign in as, the owner (reference facts, people 5.1 and 5.2). */
export const signInRefusal: Refusal = {
  status: 403,
  description: 'Nobody can sign in so; `reason` says why',
  fields: {
    reason: {
      type: 'string',
      enum: [
        'user disable',
        'realm deactivated',
        'password auth disabled',
        'incorrect_creds',
        'unregistered',
      ],
    },
  },
};
