import type { JsonSchema } from '@parley/http';

import {
  avatarUrl,
  boolean,
  integer,
  integerOrNull,
  integers,
  listOf,
  mapOf,
  objectOf,
  text,
  textOrNull,
} from './building-blocks.ts';
import type { Members } from './building-blocks.ts';

/** Accounts, groups and presence (contract, User, User group and Presence; reference facts, events 4.2 and 4.4). */

/** What somebody filled in. */
export const profileDataSchema: JsonSchema = {
  name: 'ProfileData',
  description: 'By field id',
  type: 'object',
  additionalProperties: objectOf(
    { value: text },
    { rendered_value: { type: 'string', description: 'HTML, of texts only' } },
  ),
};

export const botTypeSchema: JsonSchema = {
  type: 'integer',
  enum: [1, 2, 3, 4],
  description: '1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded',
};

const botTypeOrNull: JsonSchema = {
  type: ['integer', 'null'],
  enum: [1, 2, 3, 4, null],
  description: '1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people',
};

const account: Members = {
  user_id: integer,
  email: { type: 'string', description: 'The address that others see' },
  full_name: text,
  is_admin: boolean,
  is_guest: boolean,
  avatar_url: avatarUrl,
  timezone: { type: 'string', description: 'An IANA name, or empty' },
  date_joined: { type: 'string', description: 'ISO 8601' },
};

const deliveryEmail: Members = {
  delivery_email: {
    type: 'string',
    description: 'The real address, for administrators of an organization that hides addresses',
  },
};

/** A member of GET users (contract, User; reference facts, people 7.1). */
export const memberSchema: JsonSchema = objectOf(
  { ...account, is_bot: boolean, is_active: boolean, bot_type: botTypeOrNull },
  {
    ...deliveryEmail,
    bot_owner_id: { type: ['integer', 'null'], description: 'Bots only' },
    bot_owner: { type: 'string', description: 'Email address; bots with an owner only' },
    profile_data: profileDataSchema,
  },
  { name: 'Member' },
);

/** A user object of register and of `realm_user`/`add`. */
export const userSchema: JsonSchema = {
  name: 'User',
  anyOf: [
    objectOf(
      { ...account, is_bot: { const: false }, profile_data: profileDataSchema },
      deliveryEmail,
      { name: 'Person' },
    ),
    objectOf(
      {
        ...account,
        is_bot: { const: true },
        bot_type: botTypeSchema,
        bot_owner_id: integerOrNull,
      },
      {},
      { name: 'BotUser' },
    ),
  ],
};

/** A system bot of register's `cross_realm_bots`. */
export const systemBotSchema: JsonSchema = objectOf(
  {
    email: text,
    user_id: integer,
    is_admin: boolean,
    is_bot: { const: true },
    bot_type: botTypeSchema,
    avatar_url: text,
    timezone: text,
    date_joined: { type: 'string', description: 'ISO 8601' },
    full_name: text,
  },
  {},
  { name: 'SystemBot' },
);

const streamName: JsonSchema = { type: ['string', 'null'], description: 'Name of a stream' };

/** Where a bot's messages and queues go unless it says otherwise. */
export const botDefaults: Members = {
  default_sending_stream: streamName,
  default_events_register_stream: streamName,
  default_all_public_streams: boolean,
};

export const botServicesSchema: JsonSchema = listOf(
  objectOf(
    { base_url: text, interface: integer, token: text },
    {},
    { name: 'BotService', description: 'Where an outgoing-webhook bot reports to' },
  ),
);

/** What register and events say of a bot to those who manage it, but for its owner (reference facts, events 13.2). */
export const managedBotMembers: Members = {
  email: text,
  user_id: integer,
  full_name: text,
  bot_type: botTypeSchema,
  is_active: boolean,
  api_key: text,
  ...botDefaults,
  avatar_url: text,
  services: botServicesSchema,
};

/** A bot of register's `realm_bots`. */
export const managedBotSchema: JsonSchema = objectOf(
  { ...managedBotMembers, owner: textOrNull },
  {},
  { name: 'ManagedBot' },
);

export const userGroupSchema: JsonSchema = objectOf(
  {
    id: integer,
    name: text,
    description: text,
    members: {
      ...integers,
      description: 'User ids, ascending; deactivated people stay members',
    },
  },
  {},
  { name: 'UserGroup' },
);

const presenceMembers: Members = {
  client: { type: 'string', description: 'The client that the entry is about' },
  status: { type: 'string', enum: ['active', 'idle'] },
  timestamp: {
    type: 'integer',
    description: 'Seconds since 1970; more than a few minutes ago means offline',
  },
};

export const clientPresenceSchema: JsonSchema = objectOf(
  { ...presenceMembers, pushable: boolean },
  {},
  { name: 'ClientPresence' },
);

/** The presence of one person. */
export const presenceSchema: JsonSchema = {
  name: 'Presence',
  description: 'By client name; `aggregated` is the entry of the client that reported last',
  type: 'object',
  properties: { aggregated: objectOf(presenceMembers, {}, { name: 'AggregatedPresence' }) },
  required: ['aggregated'],
  additionalProperties: clientPresenceSchema,
};

export const presencesSchema: JsonSchema = mapOf(
  presenceSchema,
  'By email address: active people with a report in the last 14 days',
);

export const serverTimestampSchema: JsonSchema = {
  type: 'number',
  description: 'Seconds since 1970, with a fraction',
};

export const profileFieldSchema: JsonSchema = objectOf(
  {
    id: integer,
    name: text,
    type: {
      type: 'integer',
      enum: [1, 2, 3, 4, 5, 6, 7],
      description:
        '1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 person picker, 7 external account',
    },
    hint: text,
    field_data: { type: 'string', description: 'JSON text, or empty' },
    order: integer,
  },
  {},
  { name: 'ProfileField' },
);
