import { displaySettings, notificationSettings, objectOf } from '@parley/api-schemas';
import { defineEndpoint, jsonBoolean, jsonInteger, jsonOrText, text } from '@parley/http';

import { changeOwnAccount } from '../accounts/change-own-account.ts';
import type { PresenceContext } from '../context.ts';
import { changeSettings, givenSettings, setEnterSends } from '../settings/change-settings.ts';
import { emptyAnswer } from './empty-answer.ts';

const people = { authentication: 'required', bots: 'refused' } as const;

/** PATCH settings (reference facts, people 9). */
export const changeOwnAccountEndpoint = defineEndpoint({
  name: 'change-own-account',
  method: 'PATCH',
  path: '/settings',
  summary: "Change the caller's name or password",
  description: 'A change of address is refused: it would have to be confirmed by mail.',
  example: { parameters: { full_name: 'Tobias A. Lind' } },
  access: people,
  parameters: [
    text('full_name', { default: '', description: 'Ignored where names may not be changed' }),
    text('email', { default: '', description: 'Refused unless it is the present address' }),
    text('old_password', { default: '', description: 'Needed for a new password' }),
    text('new_password', { default: '', description: 'As strong as that of a new account' }),
  ],
  response: {
    type: 'object',
    properties: { full_name: { type: 'string', description: 'if it changed' } },
  },
  errors: ['BAD_REQUEST'],
  handler: (context: PresenceContext, { caller, parameters }) =>
    changeOwnAccount(context, caller, {
      fullName: parameters.full_name,
      email: parameters.email,
      oldPassword: parameters.old_password,
      newPassword: parameters.new_password,
    }),
});

const on = (name: string) => ({ description: name }) as const;

/** PATCH settings/display (reference facts, people 9). */
export const changeDisplaySettingsEndpoint = defineEndpoint({
  name: 'change-display-settings',
  method: 'PATCH',
  path: '/settings/display',
  summary: "Change how the caller's clients show things",
  description: 'The answer holds the settings that really changed.',
  example: { parameters: { night_mode: true, timezone: 'Europe/Oslo' } },
  access: people,
  parameters: [
    jsonBoolean('twenty_four_hour_time', on('Times run to 24 hours')),
    jsonBoolean('dense_mode', on('Lines stand close')),
    jsonBoolean('starred_message_counts', on('Starred messages are counted')),
    jsonBoolean('fluid_layout_width', on('The whole width is used')),
    jsonBoolean('high_contrast_mode', on('High contrast')),
    jsonBoolean('night_mode', on('Dark colours')),
    jsonBoolean('translate_emoticons', on('Emoticons become emoji')),
    jsonOrText('default_language', on('A language code')),
    jsonBoolean('left_side_userlist', on('People are listed on the left')),
    jsonOrText('emojiset', on('`google`, `google-blob`, `twitter` or `text`')),
    jsonInteger('demote_inactive_streams', on('1 automatic, 2 always, 3 never')),
    jsonOrText('timezone', on('An IANA name')),
  ],
  response: objectOf({}, displaySettings),
  errors: ['BAD_REQUEST'],
  handler: (context: PresenceContext, { caller, parameters }) =>
    changeSettings(context, caller, 'display', givenSettings(parameters)),
});

/** PATCH settings/notifications (reference facts, people 9). */
export const changeNotificationSettingsEndpoint = defineEndpoint({
  name: 'change-notification-settings',
  method: 'PATCH',
  path: '/settings/notifications',
  summary: 'Change what the caller is notified of',
  description: 'The answer holds the settings that really changed.',
  example: { parameters: { enable_sounds: false, desktop_icon_count_display: 2 } },
  access: people,
  parameters: [
    jsonBoolean('enable_stream_desktop_notifications', on('Streams, on the desktop')),
    jsonBoolean('enable_stream_email_notifications', on('Streams, by mail')),
    jsonBoolean('enable_stream_push_notifications', on('Streams, on mobile devices')),
    jsonBoolean('enable_stream_audible_notifications', on('Streams, by sound')),
    jsonBoolean('wildcard_mentions_notify', on('Mentions of all')),
    jsonOrText('notification_sound', on('`ding` or `zulip`')),
    jsonBoolean('enable_desktop_notifications', on('Mentions, on the desktop')),
    jsonBoolean('enable_sounds', on('Mentions, by sound')),
    jsonBoolean('enable_offline_email_notifications', on('While away, by mail')),
    jsonBoolean('enable_offline_push_notifications', on('While away, on mobile devices')),
    jsonBoolean('enable_online_push_notifications', on('While present, on mobile devices')),
    jsonBoolean('enable_digest_emails', on('Digests by mail')),
    jsonBoolean('enable_login_emails', on('New logins by mail')),
    jsonBoolean('message_content_in_email_notifications', on('Mails show messages')),
    jsonBoolean('pm_content_in_desktop_notifications', on('Desktop shows private messages')),
    jsonInteger('desktop_icon_count_display', on('1 all unread, 2 private and mentions, 3 none')),
    jsonBoolean('realm_name_in_notifications', on("Mails show the organization's name")),
  ],
  response: objectOf({}, notificationSettings),
  errors: ['BAD_REQUEST'],
  handler: (context: PresenceContext, { caller, parameters }) =>
    changeSettings(context, caller, 'notifications', givenSettings(parameters)),
});

/** POST users/me/enter-sends (reference facts, people 9). */
export const setEnterSendsEndpoint = defineEndpoint({
  name: 'set-enter-sends',
  method: 'POST',
  path: '/users/me/enter-sends',
  summary: 'Say whether the Enter key sends',
  example: { parameters: { enter_sends: true } },
  access: people,
  parameters: [jsonBoolean('enter_sends', { required: true, description: 'Enter sends' })],
  response: emptyAnswer,
  errors: ['BAD_REQUEST'],
  handler: async (context: PresenceContext, { caller, parameters }) => {
    await setEnterSends(context, caller, parameters.enter_sends);
    return {};
  },
});
