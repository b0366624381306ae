import type { TObject, TProperties, TSchema } from 'typebox';

import {
  boolean,
  constant,
  described,
  each,
  integer,
  integerOrNull,
  integers,
  listOf,
  mapOf,
  object,
  oneOfTexts,
  optional,
  text,
  texts,
  tuple,
} from '../declare/schema.ts';
import type { Optional, Value } from '../declare/schema.ts';
import { draftSchema, scheduledMessageSchema } from '../messages/objects.ts';
import {
  authenticationMethodsSchema,
  hotspotsSchema,
  linkifierSchema,
  pictureMembers,
  realmDomainSchema,
  realmEmojiSchema,
} from '../organization/objects.ts';
import { realmSettings } from '../organization/settings.ts';
import {
  managedBotSchema,
  profileFieldSchema,
  systemBotSchema,
  userGroupSchema,
  userSchema,
} from '../people/objects.ts';
import { displaySettings, notificationSettings } from '../people/settings.ts';
import { presencesSchema } from '../presence/objects.ts';
import {
  defaultStreamGroupSchema,
  streamSchema,
  subscriptionSchema,
  unsubscribedStreamSchema,
} from '../streams/objects.ts';

/** The state that register returns, by fetch type (reference facts, events 4). */

const messageIds = described(integers, 'Ids of messages, ascending');

const unreadMessagesSchema = object(
  {
    pms: listOf(object({ sender_id: integer, unread_message_ids: messageIds })),
    streams: listOf(
      object({
        stream_id: integer,
        topic: text,
        sender_ids: integers,
        unread_message_ids: messageIds,
      }),
    ),
    huddles: listOf(
      object({
        user_ids_string: described(
          text,
          'Ids of all participants, including the reader, ascending, with commas',
        ),
        unread_message_ids: messageIds,
      }),
    ),
    mentions: messageIds,
    count: described(integer, 'Of unread messages that are not muted'),
  },
  { name: 'UnreadMessages' },
);

const fieldTypeSchema = object({ id: integer, name: text });

const fieldTypeNames = [
  'SHORT_TEXT',
  'LONG_TEXT',
  'CHOICE',
  'DATE',
  'URL',
  'USER',
  'EXTERNAL_ACCOUNT',
] as const;

const integrationsSchema = listOf(
  object({ name: text, config: mapOf(text) }, { name: 'BotIntegration' }),
);

type WithPrefix<Members extends TProperties> = {
  [Name in keyof Members & string as `realm_${Name}`]: Members[Name];
};

function withPrefix<Members extends TProperties>(members: Members): WithPrefix<Members> {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [`realm_${name}`, schema]),
  ) as WithPrefix<Members>;
}

const realmState = {
  ...withPrefix(realmSettings),
  realm_message_retention_days: described(integerOrNull, 'null: messages are kept'),
  ...each(['realm_name', 'realm_description', 'realm_uri', 'realm_bot_domain'], text),
  realm_authentication_methods: authenticationMethodsSchema,
  ...withPrefix(pictureMembers.icon),
  ...withPrefix(pictureMembers.logo),
  ...withPrefix(pictureMembers.night_logo),
  max_icon_file_size: described(integer, 'MiB'),
  max_logo_file_size: described(integer, 'MiB'),
  realm_notifications_stream_id: described(integer, '-1: none'),
  realm_signup_notifications_stream_id: described(integer, '-1: none'),
  ...each(
    [
      'realm_presence_disabled',
      'realm_is_zephyr_mirror_realm',
      'realm_email_auth_enabled',
      'realm_password_auth_enabled',
      'realm_push_notifications_enabled',
      'settings_send_digest_emails',
      'plan_includes_wide_organization_logo',
    ],
    boolean,
  ),
  realm_upload_quota: described(integerOrNull, 'Bytes'),
  realm_plan_type: integer,
  upgrade_text_for_wide_organization_logo: text,
  realm_available_video_chat_providers: mapOf(object({ name: text, id: integer })),
  realm_default_external_accounts: mapOf(
    object(each(['text', 'url_pattern', 'name', 'hint'], text)),
  ),
};

/** The members that come with each fetch type. */
const membersByFetchType = {
  alert_words: { alert_words: texts },
  custom_profile_fields: {
    custom_profile_fields: listOf(profileFieldSchema),
    custom_profile_field_types: object(each(fieldTypeNames, fieldTypeSchema)),
  },
  default_streams: { realm_default_streams: listOf(streamSchema) },
  default_stream_groups: {
    realm_default_stream_groups: listOf(defaultStreamGroupSchema),
  },
  drafts: {
    drafts: described(listOf(draftSchema), 'None if `enable_drafts_synchronization` is off'),
  },
  hotspots: { hotspots: hotspotsSchema },
  message: {
    max_message_id: described(integer, 'The newest message that the account has; -1 for none'),
  },
  muted_topics: {
    muted_topics: described(listOf(tuple(text, text)), 'Name of a stream, and topic'),
  },
  pointer: { pointer: described(integer, '-1 for a new account') },
  presence: { presences: presencesSchema },
  realm: realmState,
  realm_bot: { realm_bots: listOf(managedBotSchema) },
  realm_domains: { realm_domains: listOf(realmDomainSchema) },
  realm_embedded_bots: { realm_embedded_bots: integrationsSchema },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: integrationsSchema },
  realm_emoji: { realm_emoji: realmEmojiSchema },
  realm_filters: { realm_filters: listOf(linkifierSchema) },
  realm_user: {
    realm_users: listOf(userSchema),
    realm_non_active_users: listOf(userSchema),
    cross_realm_bots: listOf(systemBotSchema),
    avatar_source: oneOfTexts(['G', 'U']),
    ...each(['avatar_url', 'avatar_url_medium', 'email', 'delivery_email', 'full_name'], text),
    user_id: integer,
    ...each(
      ['is_admin', 'is_guest', 'enter_sends', 'can_create_streams', 'can_subscribe_other_users'],
      boolean,
    ),
  },
  realm_user_groups: { realm_user_groups: listOf(userGroupSchema) },
  recent_private_conversations: {
    recent_private_conversations: listOf(object({ max_message_id: integer, user_ids: integers })),
  },
  scheduled_messages: {
    scheduled_messages: described(
      listOf(scheduledMessageSchema),
      'The own messages that are sent later, in the order of their times',
    ),
  },
  starred_messages: { starred_messages: messageIds },
  stop_words: { stop_words: texts },
  stream: {
    streams: listOf(streamSchema),
    stream_name_max_length: integer,
    stream_description_max_length: integer,
  },
  subscription: {
    subscriptions: listOf(subscriptionSchema),
    unsubscribed: listOf(subscriptionSchema),
    never_subscribed: listOf(unsubscribedStreamSchema),
  },
  update_display_settings: {
    ...displaySettings,
    emojiset_choices: listOf(object({ key: text, text })),
  },
  update_global_notifications: {
    ...notificationSettings,
    available_notification_sounds: texts,
  },
  user_status: {
    user_status: mapOf(
      object(optional({ away: constant(true), status_text: text }), { name: 'UserStatus' }),
      'By user id: those who are away or have a text',
    ),
  },
  zulip_version: { zulip_version: text },
};

export type FetchType = keyof typeof membersByFetchType;

/** Register's answer for a fetch type. */
export type FetchedState<Type extends FetchType> = Value<
  TObject<(typeof membersByFetchType)[Type]>
>;

type AllOf<Union> = (Union extends unknown ? (given: Union) => void : never) extends (
  given: infer Intersection,
) => void
  ? { [Name in keyof Intersection]: Intersection[Name] }
  : never;

type FetchedMembers = AllOf<(typeof membersByFetchType)[FetchType]>;

/** A member without its own description says which fetch type it belongs to. */
function fetchedMembers(): Optional<FetchedMembers> {
  const named = Object.entries(membersByFetchType).flatMap(([fetchType, members]) =>
    Object.entries(members).map(([member, schema]: [string, TSchema]) => [
      member,
      'name' in schema || 'description' in schema
        ? schema
        : described(schema, `With fetch type \`${fetchType}\``),
    ]),
  );
  return optional(Object.fromEntries(named) as FetchedMembers);
}

export const registerStateMembers = {
  ...fetchedMembers(),
  ...optional({ unread_msgs: unreadMessagesSchema }),
};

export type RegisterState = Value<TObject<typeof registerStateMembers>>;
