import type { JsonSchema } from '@parley/http';

import {
  boolean,
  integer,
  integerOrNull,
  integers,
  listOf,
  mapOf,
  objectOf,
  text,
  textOrNull,
} from '../building-blocks.ts';
import type { Members } from '../building-blocks.ts';
import {
  botDefaults,
  botServicesSchema,
  clientPresenceSchema,
  managedBotMembers,
  profileFieldSchema,
  serverTimestampSchema,
  userGroupSchema,
  userSchema,
} from '../people.ts';
import { eventSchema, eventSchemaByOp, sameForOps } from './event-schema.ts';

/** Events about people, bots and groups (reference facts, events 13). */

const named: Members = { email: text, user_id: integer };

/** One group of fields for each kind of change. */
const personChanges: readonly Members[] = [
  { email: text, full_name: text },
  {
    email: text,
    avatar_source: { type: 'string', enum: ['G', 'U'] },
    avatar_url: text,
    avatar_url_medium: text,
  },
  { email: text, timezone: text },
  { email: text, is_admin: boolean },
  { email: text, is_guest: boolean },
  { bot_owner_id: integerOrNull },
  { delivery_email: text },
  { new_email: text },
  {
    custom_profile_field: objectOf(
      { id: integer, value: { ...textOrNull, description: 'null: it was cleared' } },
      { rendered_value: textOrNull },
    ),
  },
];

const botChanges: Members = {
  full_name: text,
  avatar_url: text,
  api_key: text,
  ...botDefaults,
  owner_id: integerOrNull,
  services: botServicesSchema,
};

export const peopleEvents: readonly JsonSchema[] = [
  eventSchemaByOp('RealmUserEvent', 'realm_user', {
    add: { required: { person: userSchema } },
    remove: { required: { person: objectOf({ ...named, full_name: text }) } },
    update: {
      required: {
        person: {
          anyOf: personChanges.map((change) => objectOf({ user_id: integer, ...change })),
          name: 'PersonChange',
          description: 'The account, and what changed',
        },
      },
    },
  }),
  eventSchemaByOp('RealmBotEvent', 'realm_bot', {
    add: {
      required: { bot: objectOf(managedBotMembers, { owner: text }) },
    },
    remove: { required: { bot: objectOf({ ...named, full_name: text }) } },
    delete: { required: { bot: objectOf(named) } },
    update: {
      required: {
        bot: {
          anyOf: Object.entries(botChanges).map(([member, schema]) =>
            objectOf({ ...named, [member]: schema }),
          ),
          name: 'BotChange',
          description: 'The bot, and the member that changed',
        },
      },
    },
  }),
  eventSchemaByOp('UserGroupEvent', 'user_group', {
    add: { required: { group: userGroupSchema } },
    update: {
      required: {
        group_id: integer,
        data: { anyOf: [objectOf({ name: text }), objectOf({ description: text })] },
      },
    },
    ...sameForOps(['add_members', 'remove_members'], {
      required: { group_id: integer, user_ids: integers },
    }),
    remove: { required: { group_id: integer } },
  }),
  eventSchema('PresenceEvent', 'presence', {
    required: {
      email: text,
      user_id: integer,
      server_timestamp: serverTimestampSchema,
      presence: mapOf(clientPresenceSchema, 'The entry of the client that reported, by its name'),
    },
  }),
  eventSchema('UserStatusEvent', 'user_status', {
    required: { user_id: integer },
    optional: {
      away: boolean,
      status_text: { type: 'string', description: 'Empty: it was cleared' },
    },
  }),
  eventSchemaByOp(
    'CustomProfileFieldsEvent',
    'custom_profile_fields',
    sameForOps(['add', 'update', 'delete'], { required: { fields: listOf(profileFieldSchema) } }),
  ),
];
