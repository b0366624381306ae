import { declareEndpoint } from '../declare/endpoint.ts';
import type { AnswerOf } from '../declare/endpoint.ts';
import {
  booleanParameter,
  integerParameter,
  jsonOrTextParameter,
  textParameter,
} from '../declare/parameters.ts';
import { described, object, optional, text } from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { displaySettings, notificationSettings } from './settings.ts';
import { proofRefusal } from './sign-in.ts';

/** People's own settings (reference facts, people 9). */

const access = { authentication: 'required', bots: 'refused' } as const;

/** PATCH settings (reference facts, people 9). */
export const changeOwnAccountEndpoint = declareEndpoint({
  name: 'change-own-account',
  method: 'PATCH',
  path: '/settings',
  service: 'people',
  tag: 'Own account',
  summary: "Change the caller's name, password or address",
  description:
    'A new address is used when it was confirmed by the link in a mail to it. A server without mail refuses it.',
  example: { parameters: { full_name: 'Tobias A. Lind' } },
  access,
  parameters: [
    textParameter('full_name', {
      default: '',
      description: 'Ignored if names may not be changed',
    }),
    textParameter('email', {
      default: '',
      description: 'The new address; the current one changes nothing',
    }),
    textParameter('old_password', {
      default: '',
      description: `Required for a new password, and for a new address unless the request comes by a session that began in the last ${limits.freshSignInSecs / 60} minutes`,
    }),
    textParameter('new_password', {
      default: '',
      description: 'With the strength required for a new account',
    }),
  ],
  success: object(
    optional({
      full_name: described(text, 'if it changed'),
      account_email: described(
        text,
        'if a mail was sent that asks for a confirmation of the address',
      ),
    }),
  ),
  errors: ['BAD_REQUEST'],
  refusals: [proofRefusal],
  judgesPassword: true,
});

const on = (description: string) => ({ description }) as const;

/** PATCH settings/display (reference facts, people 9). */
export const changeDisplaySettingsEndpoint = declareEndpoint({
  name: 'change-display-settings',
  method: 'PATCH',
  path: '/settings/display',
  service: 'people',
  tag: 'Own account',
  summary: "Change how the caller's clients show things",
  description: 'The answer contains the settings that actually changed.',
  example: { parameters: { night_mode: true, timezone: 'Europe/Oslo' } },
  access,
  parameters: [
    booleanParameter('twenty_four_hour_time', on('Times run to 24 hours')),
    booleanParameter('dense_mode', on('Less space between lines')),
    booleanParameter('enable_drafts_synchronization', on('Drafts are kept on the server')),
    booleanParameter('starred_message_counts', on('Starred messages are counted')),
    booleanParameter('fluid_layout_width', on('The whole width is used')),
    booleanParameter('high_contrast_mode', on('High contrast')),
    booleanParameter('night_mode', on('Dark colours')),
    booleanParameter('translate_emoticons', on('Emoticons become emoji')),
    jsonOrTextParameter('default_language', on('A language code')),
    booleanParameter('left_side_userlist', on('People are listed on the left')),
    jsonOrTextParameter('emojiset', on('`google`, `google-blob`, `twitter` or `text`')),
    integerParameter('demote_inactive_streams', on('1 automatic, 2 always, 3 never')),
    jsonOrTextParameter('timezone', on('An IANA name')),
  ],
  success: object(optional(displaySettings)),
  errors: ['BAD_REQUEST'],
});

/** PATCH settings/notifications (reference facts, people 9). */
export const changeNotificationSettingsEndpoint = declareEndpoint({
  name: 'change-notification-settings',
  method: 'PATCH',
  path: '/settings/notifications',
  service: 'people',
  tag: 'Own account',
  summary: 'Change the notification settings of the caller',
  description: 'The answer contains the settings that actually changed.',
  example: { parameters: { enable_sounds: false, desktop_icon_count_display: 2 } },
  access,
  parameters: [
    booleanParameter('enable_stream_desktop_notifications', on('Streams, on the desktop')),
    booleanParameter('enable_stream_email_notifications', on('Streams, by mail')),
    booleanParameter('enable_stream_push_notifications', on('Streams, on mobile devices')),
    booleanParameter('enable_stream_audible_notifications', on('Streams, by sound')),
    booleanParameter('wildcard_mentions_notify', on('Mentions of all')),
    jsonOrTextParameter('notification_sound', on('`ding` or `zulip`')),
    booleanParameter('enable_desktop_notifications', on('Mentions, on the desktop')),
    booleanParameter('enable_sounds', on('Mentions, by sound')),
    booleanParameter('enable_offline_email_notifications', on('While away, by mail')),
    booleanParameter('enable_offline_push_notifications', on('While away, on mobile devices')),
    booleanParameter('enable_online_push_notifications', on('While present, on mobile devices')),
    booleanParameter('enable_digest_emails', on('Digests by mail')),
    booleanParameter('enable_login_emails', on('New logins by mail')),
    booleanParameter('message_content_in_email_notifications', on('Mails show messages')),
    integerParameter(
      'email_notifications_batching_period_seconds',
      on('How long a message stays unread before a mail tells of it: 5 to 86400'),
    ),
    booleanParameter('pm_content_in_desktop_notifications', on('Desktop shows private messages')),
    integerParameter(
      'desktop_icon_count_display',
      on('1 all unread, 2 private and mentions, 3 none'),
    ),
    booleanParameter('realm_name_in_notifications', on("Mails show the organization's name")),
  ],
  success: object(optional(notificationSettings)),
  errors: ['BAD_REQUEST'],
});

/** Settings of an account by the group in which they change together. */
export type SettingChanges = {
  readonly display: AnswerOf<typeof changeDisplaySettingsEndpoint>;
  readonly notifications: AnswerOf<typeof changeNotificationSettingsEndpoint>;
};

/** POST users/me/enter-sends (reference facts, people 9). */
export const setEnterSendsEndpoint = declareEndpoint({
  name: 'set-enter-sends',
  method: 'POST',
  path: '/users/me/enter-sends',
  service: 'people',
  tag: 'Own account',
  summary: 'Set whether the Enter key sends',
  example: { parameters: { enter_sends: true } },
  access,
  parameters: [
    booleanParameter('enter_sends', { required: true, description: 'Whether Enter sends' }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST'],
  afterLoss: 'repeat',
});

/** POST users/me/hotspots (reference facts, events 15.6). */
export const markHotspotSeenEndpoint = declareEndpoint({
  name: 'mark-hotspot-seen',
  method: 'POST',
  path: '/users/me/hotspots',
  service: 'people',
  tag: 'Own account',
  summary: 'Mark a tip of the tour as seen',
  example: { parameters: { hotspot: 'intro_reply' } },
  access,
  parameters: [
    jsonOrTextParameter('hotspot', { required: true, description: 'The name of the tip' }),
  ],
  success: object({}),
  afterLoss: 'repeat',
});
