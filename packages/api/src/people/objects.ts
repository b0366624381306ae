import type { BotType } from '../bots.ts';
import { botTypes } from '../bots.ts';
import { Type } from 'typebox';

import {
  anyOf,
  avatarUrl,
  boolean,
  constant,
  described,
  integer,
  integerOrNull,
  integers,
  listOf,
  mapOf,
  object,
  oneOfIntegers,
  optional,
  text,
  textOrNull,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';

/** Accounts, bots, groups and profile fields (contract, User and User group; reference facts, events 4.2 and 4.4). */

/** The value of a profile field. */
export const profileDataSchema = {
  ...mapOf(
    object({
      value: text,
      ...optional({ rendered_value: described(text, 'HTML, of texts only') }),
    }),
    'By field id',
  ),
  name: 'ProfileData',
};

export type ProfileData = Value<typeof profileDataSchema>;

export const botTypeSchema = oneOfIntegers(Object.values(botTypes), {
  description: '1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded',
});

const botTypeOrNull = Type.Unsafe<BotType | null>({
  type: ['integer', 'null'],
  enum: [...Object.values(botTypes), null],
  description: '1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people',
});

const account = {
  user_id: integer,
  email: described(text, 'The address that others see'),
  full_name: text,
  is_admin: boolean,
  is_guest: boolean,
  avatar_url: avatarUrl,
  timezone: described(text, 'An IANA name, or empty'),
  date_joined: described(text, 'ISO 8601'),
};

const deliveryEmail = optional({
  delivery_email: described(
    text,
    'The real address, for administrators of an organization that hides addresses',
  ),
});

/** A user in the answer of GET users (contract, User; reference facts, people 7.1). */
export const memberSchema = object(
  {
    ...account,
    is_bot: boolean,
    is_active: boolean,
    bot_type: botTypeOrNull,
    ...deliveryEmail,
    ...optional({
      bot_owner_id: described(integerOrNull, 'Bots only'),
      bot_owner: described(text, 'Email address; bots with an owner only'),
      profile_data: profileDataSchema,
    }),
  },
  { name: 'Member' },
);

export type Member = Value<typeof memberSchema>;

/** A user object of register and of `realm_user`/`add`. */
export const userSchema = {
  ...anyOf([
    object(
      {
        ...account,
        is_bot: constant(false),
        profile_data: profileDataSchema,
        ...deliveryEmail,
      },
      { name: 'Person' },
    ),
    object(
      {
        ...account,
        is_bot: constant(true),
        bot_type: botTypeSchema,
        bot_owner_id: integerOrNull,
        ...deliveryEmail,
      },
      { name: 'BotUser' },
    ),
  ]),
  name: 'User',
};

export type UserObject = Value<typeof userSchema>;

/** A system bot in register's `cross_realm_bots`. */
export const systemBotSchema = object(
  {
    email: text,
    user_id: integer,
    is_admin: boolean,
    is_bot: constant(true),
    bot_type: botTypeSchema,
    avatar_url: text,
    timezone: text,
    date_joined: described(text, 'ISO 8601'),
    full_name: text,
  },
  { name: 'SystemBot' },
);

const streamName = described(textOrNull, 'Name of a stream');

export type SystemBot = Value<typeof systemBotSchema>;

/** The defaults of a bot's messages and queues. */
export const botDefaults = {
  default_sending_stream: streamName,
  default_events_register_stream: streamName,
  default_all_public_streams: boolean,
};

export const botServicesSchema = listOf(
  object(
    { base_url: text, interface: integer, token: text },
    { name: 'BotService', description: 'The address that an outgoing-webhook bot posts to' },
  ),
);

/** A bot in register and events for those who manage it, without its owner (reference facts, events 13.2). */
export const managedBotMembers = {
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

/** A bot in register's `realm_bots`. */
export const managedBotSchema = object(
  { ...managedBotMembers, owner: textOrNull },
  { name: 'ManagedBot' },
);

export type ManagedBot = Value<typeof managedBotSchema>;

export const userGroupSchema = object(
  {
    id: integer,
    name: text,
    description: text,
    members: described(integers, 'User ids, ascending; deactivated people stay members'),
  },
  { name: 'UserGroup' },
);

export type UserGroupObject = Value<typeof userGroupSchema>;

export const profileFieldSchema = object(
  {
    id: integer,
    name: text,
    type: oneOfIntegers([1, 2, 3, 4, 5, 6, 7], {
      description:
        '1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 person picker, 7 external account',
    }),
    hint: text,
    field_data: described(text, 'JSON text, or empty'),
    order: integer,
  },
  { name: 'ProfileField' },
);

export type ProfileFieldObject = Value<typeof profileFieldSchema>;
