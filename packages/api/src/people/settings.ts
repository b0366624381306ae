import { settingSchemas } from '../organization/settings.ts';
import { text } from '../declare/schema.ts';

/** An account's own settings, members of register's state, with their defaults (reference facts, events 4.6). */

/** Emoji sets that clients offer (reference facts, events 4). */
export const emojisets: readonly { readonly key: string; readonly text: string }[] = [
  { key: 'google', text: 'Google modern' },
  { key: 'google-blob', text: 'Google classic' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'text', text: 'Plain text' },
];

/** Sounds of clients; the second name is a literal that clients contain (reference facts, people 9). */
export const notificationSounds: readonly string[] = ['ding', 'zulip'];

export const displaySettingDefaults = {
  default_language: 'en',
  demote_inactive_streams: 1,
  dense_mode: true,
  enable_drafts_synchronization: true,
  emojiset: 'google-blob',
  fluid_layout_width: false,
  high_contrast_mode: false,
  left_side_userlist: false,
  night_mode: false,
  starred_message_counts: false,
  translate_emoticons: false,
  twenty_four_hour_time: false,
};

export const notificationSettingDefaults = {
  enable_desktop_notifications: true,
  enable_digest_emails: true,
  enable_login_emails: true,
  enable_offline_email_notifications: true,
  enable_offline_push_notifications: true,
  enable_online_push_notifications: true,
  enable_sounds: true,
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_audible_notifications: false,
  wildcard_mentions_notify: true,
  message_content_in_email_notifications: true,
  email_notifications_batching_period_seconds: 120,
  notification_sound: 'zulip',
  pm_content_in_desktop_notifications: true,
  desktop_icon_count_display: 1,
  realm_name_in_notifications: false,
};

const noNames: readonly string[] = [];

/** Whoever chose nothing sends with Enter (decision 0081). */
const otherSettingDefaults = { enter_sends: true, seen_hotspots: noNames };

export const userSettingDefaults = {
  ...displaySettingDefaults,
  ...notificationSettingDefaults,
  ...otherSettingDefaults,
};

export type UserSettings = Readonly<typeof userSettingDefaults>;

/** Schemas of the display settings. */
export const displaySettings = { ...settingSchemas(displaySettingDefaults), timezone: text };

/** Schemas of the notification settings. */
export const notificationSettings = settingSchemas(notificationSettingDefaults);
