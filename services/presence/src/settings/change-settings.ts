import { getActor } from '@parley/access';
import { audienceKey } from '@parley/contracts';
import type { Caller, EventPart } from '@parley/contracts';
import { findLanguageName, lockUsersForOwnChange, updateUser, userSettings } from '@parley/store';
import type { User } from '@parley/store';

import { changeEntry, personUpdated, toUsers } from '../accounts/account-events.ts';
import type { PresenceContext } from '../context.ts';
import { checkSettings } from './own-settings.ts';
import type { SettingChange } from './own-settings.ts';

/** Which of an account's two groups of settings a request is about. */
export type SettingGroup = 'display' | 'notifications';

/** @returns what a request asks for; settings that it does not name are absent */
export function givenSettings(parameters: Readonly<Record<string, unknown>>): SettingChange {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

function settingEvent(group: SettingGroup, user: User, name: string, value: unknown): EventPart {
  if (group === 'notifications') {
    return toUsers([user.id], {
      type: 'update_global_notifications',
      user: user.email,
      notification_name: name,
      setting: value,
    });
  }
  return toUsers([user.id], {
    type: 'update_display_settings',
    user: user.email,
    setting_name: name,
    setting: value,
    ...(name === 'default_language' && { language_name: findLanguageName(String(value)) }),
  });
}

/**
 * Changes settings of the caller (reference facts, people 9; events 14.3). Everybody hears of a new time zone.
 *
 * @returns those that really changed
 * @throws ApiError coded, naming the first value that is none
 */
export async function changeSettings(
  context: PresenceContext,
  caller: Caller,
  group: SettingGroup,
  change: SettingChange,
): Promise<Record<string, unknown>> {
  checkSettings(change);
  return context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    const stored: Readonly<Record<string, unknown>> = {
      ...userSettings(user),
      timezone: user.timezone,
    };
    const changed = Object.fromEntries(
      Object.entries(change).filter(([name, value]) => stored[name] !== value),
    );
    if (Object.keys(changed).length === 0) return { result: {} };
    const { timezone, ...settings } = changed as SettingChange;
    await updateUser(client, user.id, {
      settings,
      ...(timezone !== undefined && { timezone }),
    });
    const events = Object.entries(changed).map(([name, value]) =>
      settingEvent(group, user, name, value),
    );
    if (timezone !== undefined) events.push(personUpdated(user, { email: user.email, timezone }));
    const entry = changeEntry(events);
    const audience = timezone === undefined ? audienceKey.user(user.id) : entry.audience;
    return { result: changed, append: { entries: [{ ...entry, audience }] } };
  });
}

/** Stores whether the caller's Enter key sends; clients are not told (reference facts, events 14.3). */
export async function setEnterSends(
  context: PresenceContext,
  caller: Caller,
  enterSends: boolean,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    await updateUser(client, user.id, { settings: { enter_sends: enterSends } });
    return { result: undefined };
  });
}
