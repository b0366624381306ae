import type { TSchema, TUnsafe } from 'typebox';

import { boolean, integer, text } from '../declare/schema.ts';

/** Who may create bots, by the values of `bot_creation_policy` (reference facts, people 8). */
export const botCreationPolicies = {
  everybody: 1,
  genericByAdministrators: 2,
  administrators: 3,
} as const;

/** Who may create streams and subscribe others, by the values of `create_stream_policy` and `invite_to_stream_policy`. */
export const streamPolicies = { members: 1, administrators: 2, afterWaitingPeriod: 3 } as const;

/** Who may change user groups, by the values of `user_group_edit_policy`. */
export const userGroupPolicies = { members: 1, administrators: 2 } as const;

/** Who may see the addresses of people, by the values of `email_address_visibility` (reference facts, people 7.7). */
export const emailAddressVisibilities = { everybody: 1, administrators: 3 } as const;

/** The permitted values of integers (reference facts, people 14.1). */
export const policyValues = {
  bot_creation_policy: Object.values(botCreationPolicies),
  create_stream_policy: Object.values(streamPolicies),
  invite_to_stream_policy: Object.values(streamPolicies),
  user_group_edit_policy: Object.values(userGroupPolicies),
  email_address_visibility: Object.values(emailAddressVisibilities),
  digest_weekday: [0, 1, 2, 3, 4, 5, 6],
} as const;

/** The organization's settings, with their defaults (reference facts, events 4.5); in register's state each is `realm_<name>`. */
export const realmSettingDefaults = {
  add_emoji_by_admins_only: false,
  allow_edit_history: true,
  allow_message_deleting: false,
  default_twenty_four_hour_time: false,
  digest_emails_enabled: false,
  disallow_disposable_email_addresses: true,
  email_changes_disabled: false,
  invite_required: true,
  invite_by_admins_only: false,
  inline_image_preview: true,
  inline_url_embed_preview: false,
  mandatory_topics: false,
  send_move_notices: false,
  name_changes_disabled: false,
  avatar_changes_disabled: false,
  emails_restricted_to_domains: false,
  send_welcome_emails: true,
  message_content_allowed_in_email_notifications: true,
  bot_creation_policy: botCreationPolicies.everybody as number,
  create_stream_policy: streamPolicies.members as number,
  invite_to_stream_policy: streamPolicies.members as number,
  user_group_edit_policy: userGroupPolicies.members as number,
  email_address_visibility: emailAddressVisibilities.everybody as number,
  video_chat_provider: 1,
  waiting_period_threshold: 0,
  digest_weekday: 1,
  default_language: 'en',
  google_hangouts_domain: '',
  allow_message_editing: true,
  allow_community_topic_editing: true,
  message_content_edit_limit_seconds: 600,
  message_content_delete_limit_seconds: 600,
};

export type RealmSettings = Readonly<typeof realmSettingDefaults>;

type SettingSchemas<Defaults> = {
  readonly [Name in keyof Defaults]: TUnsafe<Defaults[Name]>;
};

function schemaOf(value: unknown): TSchema {
  switch (typeof value) {
    case 'boolean':
      return boolean;
    case 'string':
      return text;
    default:
      return integer;
  }
}

/** @returns the schemas of settings, with the types of their defaults */
export function settingSchemas<Defaults extends object>(
  defaults: Defaults,
): SettingSchemas<Defaults> {
  const schemas = Object.entries(defaults).map(([name, value]) => [name, schemaOf(value)]);
  return Object.fromEntries(schemas) as SettingSchemas<Defaults>;
}

/** Settings of the organization by name, without register's prefix. */
export const realmSettings = settingSchemas(realmSettingDefaults);
