import { json } from '@parley/http';

/** People named by address or, as newer clients do, by user id (reference facts, streams 1). */
export const principalsParameter = json(
  'principals',
  {
    type: 'array',
    items: {
      anyOf: [{ type: 'string' }, { type: 'integer' }],
      refusal: 'is not a string',
      description: 'email address or user id',
    },
  },
  { default: [], description: 'People to act for; an empty list means the caller' },
);
