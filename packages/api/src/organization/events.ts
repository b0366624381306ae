import { Type } from 'typebox';
import type { TObject, TProperties, TSchema, TUnsafe } from 'typebox';

import {
  anyOf,
  constant,
  described,
  integer,
  listOf,
  object,
  oneOfTexts,
  optional,
  text,
  texts,
  union,
} from '../declare/schema.ts';
import type { Static } from '../declare/schema.ts';
import { event, eventByOp, sameForOps, updatesByProperty } from '../events/event-schema.ts';
import { displaySettings, notificationSettings } from '../people/settings.ts';
import {
  authenticationMethodsSchema,
  hotspotsSchema,
  linkifierSchema,
  pictureMembers,
  realmDomainSchema,
  realmEmojiSchema,
} from './objects.ts';
import { realmExportSchema } from './exports.ts';
import { realmSettings } from './settings.ts';

/** Events about the organization and a person's own settings, and those of the protocol (reference facts, events 14). */

const {
  allow_message_editing,
  message_content_edit_limit_seconds,
  allow_community_topic_editing,
  message_content_delete_limit_seconds,
  ...otherSettings
} = realmSettings;

/** Properties that change together, in an event of another kind. */
const editingMembers = {
  allow_message_editing,
  message_content_edit_limit_seconds,
  allow_community_topic_editing,
};

const simpleSettings = {
  ...otherSettings,
  name: text,
  description: text,
  notifications_stream_id: integer,
  signup_notifications_stream_id: integer,
};

/** @returns a branch for each type of the settings' values */
function byType(
  settings: TProperties,
  branchOf: (names: readonly string[], value: TSchema) => TSchema,
): readonly TSchema[] {
  const groups = Map.groupBy(Object.entries(settings), ([, schema]) =>
    JSON.stringify('type' in schema ? schema.type : undefined),
  );
  return [...groups.values()].map((members) =>
    branchOf(
      members.map(([name]) => name),
      members[0]?.[1] ?? {},
    ),
  );
}

type SimpleSettings = typeof simpleSettings;

type RealmUpdate = {
  [Name in keyof SimpleSettings]: {
    id: number;
    type: 'realm';
    op: 'update';
    property: Name;
    value: Static<SimpleSettings[Name]>;
  };
}[keyof SimpleSettings];

const realmUpdate = Type.Unsafe<RealmUpdate>(
  updatesByProperty(
    'RealmUpdateEvent',
    'realm',
    'update',
    byType(simpleSettings, (names, value) =>
      object({
        id: integer,
        type: constant('realm'),
        op: constant('update'),
        property: oneOfTexts(names),
        value,
      }),
    ),
  ),
);

function updatedTogether<const Property extends string, Data extends TSchema>(
  property: Property,
  data: Data,
) {
  return object({
    id: integer,
    type: constant('realm'),
    op: constant('update_dict'),
    property: constant(property),
    data,
  });
}

const realmUpdateDict = updatesByProperty('RealmUpdateDictEvent', 'realm', 'update_dict', [
  updatedTogether(
    'default',
    anyOf([
      object(editingMembers),
      object({ message_content_delete_limit_seconds }),
      object({ authentication_methods: authenticationMethodsSchema }),
    ]),
  ),
  updatedTogether('icon', object(pictureMembers.icon)),
  updatedTogether('logo', object(pictureMembers.logo)),
  updatedTogether('night_logo', object(pictureMembers.night_logo)),
]);

type SettingEvent<
  Kind extends string,
  Key extends string,
  Settings extends TProperties,
  More extends TProperties,
> = {
  [Name in keyof Settings]: {
    id: number;
    type: Kind;
    user: string;
    setting: Static<Settings[Name]>;
  } & Record<Key, Name> &
    (Name extends 'default_language' ? Static<TObject<More>> : unknown);
}[keyof Settings];

/** An event about a changed setting of the caller. */
function settingEvent<
  const Kind extends string,
  const Key extends string,
  Settings extends TProperties,
  More extends TProperties,
>(
  name: string,
  type: Kind,
  key: Key,
  settings: Settings,
  ofLanguage: More,
): TUnsafe<SettingEvent<Kind, Key, Settings, More>> {
  return Type.Unsafe<SettingEvent<Kind, Key, Settings, More>>(
    union(
      key,
      byType(settings, (names, setting) =>
        object({
          id: integer,
          type: constant(type),
          user: described(text, 'Email address'),
          [key]: oneOfTexts(names),
          setting,
          ...(names.includes('default_language') && ofLanguage),
        }),
      ),
      { name, properties: { type: constant(type) }, required: ['type', key] },
    ),
  );
}

export const organizationEvents = [
  eventByOp(
    'RealmEvent',
    'realm',
    { deactivated: { realm_id: integer } },
    realmUpdate,
    realmUpdateDict,
  ),
  eventByOp('RealmEmojiEvent', 'realm_emoji', { update: { realm_emoji: realmEmojiSchema } }),
  event('RealmFiltersEvent', 'realm_filters', { realm_filters: listOf(linkifierSchema) }),
  eventByOp('RealmDomainsEvent', 'realm_domains', {
    ...sameForOps(['add', 'change'], { realm_domain: realmDomainSchema }),
    remove: { domain: text },
  }),
  event('AlertWordsEvent', 'alert_words', { alert_words: texts }),
  event('PointerEvent', 'pointer', { pointer: integer }),
  event('InvitesChangedEvent', 'invites_changed', {}),
  event('RealmExportEvent', 'realm_export', { exports: listOf(realmExportSchema) }),
  event('HotspotsEvent', 'hotspots', { hotspots: hotspotsSchema }),
  settingEvent(
    'UpdateDisplaySettingsEvent',
    'update_display_settings',
    'setting_name',
    displaySettings,
    optional({ language_name: described(text, 'Of a changed `default_language`') }),
  ),
  settingEvent(
    'UpdateGlobalNotificationsEvent',
    'update_global_notifications',
    'notification_name',
    notificationSettings,
    {},
  ),
] as const;

/** The answer to a poll if there is no event for a while. */
export const heartbeatEvent = event('HeartbeatEvent', 'heartbeat', {});
