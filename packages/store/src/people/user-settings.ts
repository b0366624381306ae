import type { FetchedState } from '@parley/api/events';
import {
  displaySettingDefaults,
  emojisets,
  notificationSettingDefaults,
  notificationSounds,
  userSettingDefaults,
} from '@parley/api/people';
import type { UserSettings } from '@parley/api/people';

import { withDefaults } from '../organization/realm.ts';

/** @returns the complete settings of an account; `timezone` is a column of its own */
export function userSettings(user: { readonly settings: Partial<UserSettings> }): UserSettings {
  return withDefaults(userSettingDefaults, user.settings);
}

/** @returns the display settings in register's answer (reference facts, events 4.6) */
export function displaySettings(user: {
  readonly settings: Partial<UserSettings>;
  readonly timezone: string;
}): FetchedState<'update_display_settings'> {
  return {
    ...withDefaults(displaySettingDefaults, user.settings),
    timezone: user.timezone,
    emojiset_choices: emojisets,
  };
}

/** @returns the notification settings in register's answer (reference facts, events 4.6) */
export function notificationSettings(user: {
  readonly settings: Partial<UserSettings>;
}): FetchedState<'update_global_notifications'> {
  return {
    ...withDefaults(notificationSettingDefaults, user.settings),
    available_notification_sounds: notificationSounds,
  };
}
