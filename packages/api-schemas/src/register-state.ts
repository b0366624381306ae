import type { JsonSchema } from '@parley/http';

import {
  boolean,
  each,
  integer,
  integerOrNull,
  integers,
  listOf,
  mapOf,
  objectOf,
  text,
  texts,
  tuple,
} from './building-blocks.ts';
import type { Members } from './building-blocks.ts';
import {
  authenticationMethodsSchema,
  displaySettings,
  linkifierSchema,
  notificationSettings,
  pictureMembers,
  realmDomainSchema,
  realmEmojiSchema,
  realmSettings,
} from './organization.ts';
import {
  managedBotSchema,
  presencesSchema,
  profileFieldSchema,
  systemBotSchema,
  userGroupSchema,
  userSchema,
} from './people.ts';
import {
  defaultStreamGroupSchema,
  streamSchema,
  subscriptionSchema,
  unsubscribedStreamSchema,
} from './streams.ts';

/** The state that register returns, by fetch type (reference facts, events 4). */

/** What stands without a description of its own says which fetch type brings it. */
function of(fetchType: string, members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).map(([member, schema]) => [
      member,
      schema.name !== undefined || schema.description !== undefined
        ? schema
        : { ...schema, description: `With fetch type \`${fetchType}\`` },
    ]),
  );
}

const messageIds: JsonSchema = { ...integers, description: 'Ids of messages, ascending' };

const unreadMessagesSchema = objectOf(
  {
    pms: listOf(objectOf({ sender_id: integer, unread_message_ids: messageIds })),
    streams: listOf(
      objectOf({
        stream_id: integer,
        topic: text,
        sender_ids: integers,
        unread_message_ids: messageIds,
      }),
    ),
    huddles: listOf(
      objectOf({
        user_ids_string: {
          type: 'string',
          description: 'Ids of all who take part, the reader included, ascending, with commas',
        },
        unread_message_ids: messageIds,
      }),
    ),
    mentions: messageIds,
    count: { type: 'integer', description: 'Of unread messages that are not muted' },
  },
  {},
  { name: 'UnreadMessages' },
);

const fieldTypeSchema = objectOf({ id: integer, name: text });

const fieldTypeNames = [
  'SHORT_TEXT',
  'LONG_TEXT',
  'CHOICE',
  'DATE',
  'URL',
  'USER',
  'EXTERNAL_ACCOUNT',
];

const integrationsSchema = listOf(
  objectOf({ name: text, config: mapOf(text) }, {}, { name: 'BotIntegration' }),
);

function withPrefix(members: Members): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [`realm_${name}`, schema]),
  );
}

const realmState: Members = {
  ...withPrefix(realmSettings),
  ...each(['realm_name', 'realm_description', 'realm_uri', 'realm_bot_domain'], text),
  realm_authentication_methods: authenticationMethodsSchema,
  ...withPrefix(pictureMembers.icon),
  ...withPrefix(pictureMembers.logo),
  ...withPrefix(pictureMembers.night_logo),
  max_icon_file_size: { type: 'integer', description: 'MiB' },
  max_logo_file_size: { type: 'integer', description: 'MiB' },
  realm_notifications_stream_id: { type: 'integer', description: '-1: none' },
  realm_signup_notifications_stream_id: { type: 'integer', description: '-1: none' },
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
  realm_upload_quota: { ...integerOrNull, description: 'Bytes' },
  realm_plan_type: integer,
  upgrade_text_for_wide_organization_logo: text,
  realm_available_video_chat_providers: mapOf(objectOf({ name: text, id: integer })),
  realm_default_external_accounts: mapOf(
    objectOf(each(['text', 'url_pattern', 'name', 'hint'], text)),
  ),
};

/** Members that depend on the fetch types. */
export const registerStateMembers: Members = {
  ...of('alert_words', { alert_words: texts }),
  ...of('custom_profile_fields', {
    custom_profile_fields: listOf(profileFieldSchema),
    custom_profile_field_types: objectOf(each(fieldTypeNames, fieldTypeSchema)),
  }),
  ...of('default_streams', { realm_default_streams: listOf(streamSchema) }),
  ...of('default_stream_groups', {
    realm_default_stream_groups: listOf(defaultStreamGroupSchema),
  }),
  ...of('hotspots', {
    hotspots: listOf(
      objectOf({ name: text, title: text, description: text, delay: { type: 'number' } }),
    ),
  }),
  ...of('message', {
    max_message_id: {
      type: 'integer',
      description: 'The newest message that the account has; -1 for none',
    },
  }),
  unread_msgs: unreadMessagesSchema,
  ...of('muted_topics', {
    muted_topics: { ...listOf(tuple(text, text)), description: 'Name of a stream, and topic' },
  }),
  ...of('pointer', { pointer: { type: 'integer', description: '-1 for a new account' } }),
  ...of('presence', { presences: presencesSchema }),
  ...of('realm', realmState),
  ...of('realm_bot', { realm_bots: listOf(managedBotSchema) }),
  ...of('realm_domains', { realm_domains: listOf(realmDomainSchema) }),
  ...of('realm_embedded_bots', { realm_embedded_bots: integrationsSchema }),
  ...of('realm_incoming_webhook_bots', { realm_incoming_webhook_bots: integrationsSchema }),
  ...of('realm_emoji', { realm_emoji: realmEmojiSchema }),
  ...of('realm_filters', { realm_filters: listOf(linkifierSchema) }),
  ...of('realm_user', {
    realm_users: listOf(userSchema),
    realm_non_active_users: listOf(userSchema),
    cross_realm_bots: listOf(systemBotSchema),
    avatar_source: { type: 'string', enum: ['G', 'U'] },
    ...each(['avatar_url', 'avatar_url_medium', 'email', 'delivery_email', 'full_name'], text),
    user_id: integer,
    ...each(
      ['is_admin', 'is_guest', 'enter_sends', 'can_create_streams', 'can_subscribe_other_users'],
      boolean,
    ),
  }),
  ...of('realm_user_groups', { realm_user_groups: listOf(userGroupSchema) }),
  ...of('recent_private_conversations', {
    recent_private_conversations: listOf(objectOf({ max_message_id: integer, user_ids: integers })),
  }),
  ...of('starred_messages', { starred_messages: messageIds }),
  ...of('stop_words', { stop_words: texts }),
  ...of('stream', {
    streams: listOf(streamSchema),
    stream_name_max_length: integer,
    stream_description_max_length: integer,
  }),
  ...of('subscription', {
    subscriptions: listOf(subscriptionSchema),
    unsubscribed: listOf(subscriptionSchema),
    never_subscribed: listOf(unsubscribedStreamSchema),
  }),
  ...of('update_display_settings', {
    ...displaySettings,
    emojiset_choices: listOf(objectOf({ key: text, text })),
  }),
  ...of('update_global_notifications', {
    ...notificationSettings,
    available_notification_sounds: texts,
  }),
  ...of('user_status', {
    user_status: mapOf(
      objectOf({}, { away: { const: true }, status_text: text }, { name: 'UserStatus' }),
      'By user id: those who are away or have a text',
    ),
  }),
  ...of('zulip_version', { zulip_version: text }),
};
