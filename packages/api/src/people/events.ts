import { Type } from 'typebox';
import type { TObject, TProperties } from 'typebox';

import {
  anyOf,
  boolean,
  described,
  integer,
  integerOrNull,
  integers,
  listOf,
  object,
  oneOfTexts,
  optional,
  text,
  textOrNull,
} from '../declare/schema.ts';
import type { Static, Value } from '../declare/schema.ts';
import { eventByOp, sameForOps } from '../events/event-schema.ts';
import {
  botDefaults,
  botServicesSchema,
  managedBotMembers,
  profileFieldSchema,
  userGroupSchema,
  userSchema,
} from './objects.ts';

/** Events about people, bots and groups (reference facts, events 13). */

const named = { email: text, user_id: integer };

function ofPerson<Members extends TProperties>(members: Members) {
  return object({ user_id: integer, ...members });
}

/** The account, and one group of members for each kind of change. */
const personChange = {
  ...anyOf([
    ofPerson({ email: text, full_name: text }),
    ofPerson({
      email: text,
      avatar_source: oneOfTexts(['G', 'U']),
      avatar_url: text,
      avatar_url_medium: text,
    }),
    ofPerson({ email: text, timezone: text }),
    ofPerson({ email: text, is_admin: boolean }),
    ofPerson({ email: text, is_guest: boolean }),
    ofPerson({ bot_owner_id: integerOrNull }),
    ofPerson({ delivery_email: text }),
    ofPerson({ new_email: text }),
    ofPerson({
      custom_profile_field: object({
        id: integer,
        value: described(textOrNull, 'null: it was cleared'),
        ...optional({ rendered_value: textOrNull }),
      }),
    }),
  ]),
  name: 'PersonChange',
  description: 'The account and its change',
};

export type PersonChange = Value<typeof personChange>;

const botMembers = {
  full_name: text,
  avatar_url: text,
  api_key: text,
  ...botDefaults,
  owner_id: integerOrNull,
  services: botServicesSchema,
};

type BotMembers = typeof botMembers;

export type BotChange = {
  [Name in keyof BotMembers]: Static<TObject<typeof named>> &
    Static<TObject<Pick<BotMembers, Name>>>;
}[keyof BotMembers];

const botChange = Type.Unsafe<BotChange>({
  anyOf: Object.entries(botMembers).map(([member, schema]) =>
    object({ ...named, [member]: schema }),
  ),
  name: 'BotChange',
  description: 'The bot and its changed member',
});

export const peopleEvents = [
  eventByOp('RealmUserEvent', 'realm_user', {
    add: { person: userSchema },
    remove: { person: object({ ...named, full_name: text }) },
    update: { person: personChange },
  }),
  eventByOp('RealmBotEvent', 'realm_bot', {
    add: { bot: object({ ...managedBotMembers, ...optional({ owner: text }) }) },
    remove: { bot: object({ ...named, full_name: text }) },
    delete: { bot: object(named) },
    update: { bot: botChange },
  }),
  eventByOp('UserGroupEvent', 'user_group', {
    add: { group: userGroupSchema },
    update: {
      group_id: integer,
      data: anyOf([object({ name: text }), object({ description: text })]),
    },
    ...sameForOps(['add_members', 'remove_members'], { group_id: integer, user_ids: integers }),
    remove: { group_id: integer },
  }),
  eventByOp(
    'CustomProfileFieldsEvent',
    'custom_profile_fields',
    sameForOps(['add', 'update', 'delete'], { fields: listOf(profileFieldSchema) }),
  ),
] as const;
