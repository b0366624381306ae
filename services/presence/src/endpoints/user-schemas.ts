import type { JsonSchema } from '@parley/http';

/** What somebody filled in, by field id as text. */
export const profileDataSchema = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { value: { type: 'string' }, rendered_value: { type: 'string' } },
    required: ['value'],
  },
  description: 'by field id; rendered_value is HTML, of texts only; humans only',
} as const satisfies JsonSchema;

/** A member of GET users (contract, User; reference facts, people 7.1). */
export const memberSchema = {
  type: 'object',
  properties: {
    user_id: { type: 'integer' },
    email: { type: 'string', description: 'the address that others see' },
    delivery_email: {
      type: 'string',
      description: 'the real address, for administrators of an organization that hides addresses',
    },
    full_name: { type: 'string' },
    is_bot: { type: 'boolean' },
    is_admin: { type: 'boolean' },
    is_guest: { type: 'boolean' },
    is_active: { type: 'boolean' },
    avatar_url: { type: ['string', 'null'] },
    timezone: { type: 'string' },
    date_joined: { type: 'string' },
    bot_type: {
      type: ['integer', 'null'],
      description: '1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for humans',
    },
    bot_owner_id: { type: ['integer', 'null'], description: 'bots only' },
    bot_owner: { type: 'string', description: 'email address; bots with an owner only' },
    profile_data: profileDataSchema,
  },
  required: [
    'user_id',
    'email',
    'full_name',
    'is_bot',
    'is_admin',
    'is_guest',
    'is_active',
    'avatar_url',
    'timezone',
    'date_joined',
    'bot_type',
  ],
} as const satisfies JsonSchema;

/** An answer that says nothing beside that it is done. */
export const emptyAnswer: JsonSchema = { type: 'object', properties: {} };
