import type { JsonSchema } from '@parley/http';

import { integer, listOf, objectOf, text, texts } from '../building-blocks.ts';
import type { Members } from '../building-blocks.ts';
import {
  authenticationMethodsSchema,
  displaySettings,
  linkifierSchema,
  notificationSettings,
  pictureMembers,
  realmDomainSchema,
  realmEmojiSchema,
  realmSettings,
} from '../organization.ts';
import { eventSchema, eventSchemaByOp, sameForOps } from './event-schema.ts';

/** Events about the organization and a person's own settings, and those of the protocol (reference facts, events 14). */

/** Told together, in an event of another kind. */
const editing = [
  'allow_message_editing',
  'message_content_edit_limit_seconds',
  'allow_community_topic_editing',
] as const;
const deletionLimit = 'message_content_delete_limit_seconds';

const editingMembers: Members = Object.fromEntries(
  editing.map((name) => [name, realmSettings[name] ?? {}]),
);

const simpleSettings: Members = {
  ...Object.fromEntries(
    Object.entries(realmSettings).filter(
      ([name]) => name !== deletionLimit && !editing.some((other) => other === name),
    ),
  ),
  name: text,
  description: text,
  notifications_stream_id: integer,
  signup_notifications_stream_id: integer,
};

/** @returns a union with a branch for each type of value that settings have */
function byProperty(
  settings: Members,
  branchOf: (names: readonly string[], value: JsonSchema) => JsonSchema,
): JsonSchema[] {
  const byType = Map.groupBy(Object.entries(settings), ([, schema]) => JSON.stringify(schema.type));
  return [...byType.values()].map((members) =>
    branchOf(
      members.map(([name]) => name),
      members[0]?.[1] ?? {},
    ),
  );
}

const realmUpdate: JsonSchema = {
  name: 'RealmUpdateEvent',
  type: 'object',
  properties: { type: { const: 'realm' }, op: { const: 'update' } },
  required: ['type', 'op', 'property'],
  discriminator: { propertyName: 'property' },
  oneOf: byProperty(simpleSettings, (names, value) =>
    objectOf({
      id: integer,
      type: { const: 'realm' },
      op: { const: 'update' },
      property: { type: 'string', enum: names },
      value,
    }),
  ),
};

function updatedTogether(property: string, data: JsonSchema): JsonSchema {
  return objectOf({
    id: integer,
    type: { const: 'realm' },
    op: { const: 'update_dict' },
    property: { const: property },
    data,
  });
}

const realmUpdateDict: JsonSchema = {
  name: 'RealmUpdateDictEvent',
  type: 'object',
  properties: { type: { const: 'realm' }, op: { const: 'update_dict' } },
  required: ['type', 'op', 'property'],
  discriminator: { propertyName: 'property' },
  oneOf: [
    updatedTogether('default', {
      anyOf: [
        objectOf(editingMembers),
        objectOf({ [deletionLimit]: integer }),
        objectOf({ authentication_methods: authenticationMethodsSchema }),
      ],
    }),
    ...Object.entries(pictureMembers).map(([property, members]) =>
      updatedTogether(property, objectOf(members)),
    ),
  ],
};

const realmEvent = eventSchemaByOp('RealmEvent', 'realm', {
  deactivated: { required: { realm_id: integer } },
});

/** An event of a changed setting of one's own. */
function settingEvent(
  name: string,
  type: string,
  key: string,
  settings: Members,
  optional: Members = {},
): JsonSchema {
  return {
    name,
    type: 'object',
    properties: { type: { const: type } },
    required: ['type', key],
    discriminator: { propertyName: key },
    oneOf: byProperty(settings, (names, value) =>
      objectOf(
        {
          id: integer,
          type: { const: type },
          user: { type: 'string', description: 'Email address' },
          [key]: { type: 'string', enum: names },
          setting: value,
        },
        names.includes('default_language') ? optional : {},
      ),
    ),
  };
}

export const organizationEvents: readonly JsonSchema[] = [
  { ...realmEvent, oneOf: [...(realmEvent.oneOf ?? []), realmUpdate, realmUpdateDict] },
  eventSchemaByOp('RealmEmojiEvent', 'realm_emoji', {
    update: { required: { realm_emoji: realmEmojiSchema } },
  }),
  eventSchema('RealmFiltersEvent', 'realm_filters', {
    required: { realm_filters: listOf(linkifierSchema) },
  }),
  eventSchemaByOp('RealmDomainsEvent', 'realm_domains', {
    ...sameForOps(['add', 'change'], { required: { realm_domain: realmDomainSchema } }),
    remove: { required: { domain: text } },
  }),
  eventSchema('AlertWordsEvent', 'alert_words', { required: { alert_words: texts } }),
  eventSchema('PointerEvent', 'pointer', { required: { pointer: integer } }),
  settingEvent(
    'UpdateDisplaySettingsEvent',
    'update_display_settings',
    'setting_name',
    displaySettings,
    { language_name: { type: 'string', description: 'Of a changed `default_language`' } },
  ),
  settingEvent(
    'UpdateGlobalNotificationsEvent',
    'update_global_notifications',
    'notification_name',
    notificationSettings,
  ),
];

/** What a poll is answered with when nothing else came for a while. */
export const heartbeatEvent: JsonSchema = eventSchema('HeartbeatEvent', 'heartbeat');
