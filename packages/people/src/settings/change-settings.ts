import type { ApiEvent } from '@parley/api/events';
import type { SettingChanges } from '@parley/api/people';
import { getActor } from '@parley/access';
import { audienceKey } from '@parley/event-log';
import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import {
  findLanguageName,
  isHotspot,
  lockUsersForOwnChange,
  nextHotspots,
  updateUser,
  userSettings,
} from '@parley/store';
import type { User } from '@parley/store';

import { entryForEveryone, personUpdated, toUsers } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { checkSettings } from './own-settings.ts';
import type { SettingChange } from './own-settings.ts';

/** Which of an account's two groups of settings a request is about. */
export type SettingGroup = keyof SettingChanges;

/** @returns what a request asks for; settings that it does not name are absent */
export function givenSettings(parameters: Readonly<Record<string, unknown>>): SettingChange {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

type DisplayEvent = Extract<ApiEvent, { type: 'update_display_settings' }>;
type NotificationEvent = Extract<ApiEvent, { type: 'update_global_notifications' }>;

/** Name and value were checked against the settings of the group. */
function settingEvent(group: SettingGroup, user: User, name: string, value: unknown): EventPart {
  if (group === 'notifications') {
    return toUsers([user.id], {
      type: 'update_global_notifications',
      user: user.email,
      notification_name: name,
      setting: value,
    } as NotificationEvent);
  }
  return toUsers([user.id], {
    type: 'update_display_settings',
    user: user.email,
    setting_name: name,
    setting: value,
    ...(name === 'default_language' && { language_name: findLanguageName(String(value)) }),
  } as DisplayEvent);
}

/**
 * Changes settings of the caller (reference facts, people 9; events 14.3). Everybody hears of a new time zone.
 *
 * @returns those that really changed
 * @throws ApiError coded, naming the first value that is none
 */
export async function changeSettings<Group extends SettingGroup>(
  context: PeopleContext,
  caller: Caller,
  group: Group,
  change: SettingChanges[Group],
): Promise<SettingChanges[Group]> {
  checkSettings(change);
  return context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    const stored: Readonly<Record<string, unknown>> = {
      ...userSettings(user),
      timezone: user.timezone,
    };
    const changed: SettingChanges[Group] = Object.fromEntries(
      Object.entries(change).filter(([name, value]) => stored[name] !== value),
    );
    if (Object.keys(changed).length === 0) return { result: {} };
    const { timezone, ...settings }: SettingChange = changed;
    await updateUser(client, user.id, {
      settings,
      ...(timezone !== undefined && { timezone }),
    });
    const events = Object.entries(changed).map(([name, value]) =>
      settingEvent(group, user, name, value),
    );
    if (timezone !== undefined) events.push(personUpdated(user, { email: user.email, timezone }));
    const entry = entryForEveryone(events);
    const audience = timezone === undefined ? audienceKey.user(user.id) : entry.audience;
    return { result: changed, append: { entries: [{ ...entry, audience }] } };
  });
}

/** Stores whether the caller's Enter key sends; clients are not told (reference facts, events 14.3). */
export async function setEnterSends(
  context: PeopleContext,
  caller: Caller,
  enterSends: boolean,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    await updateUser(client, user.id, { settings: { enter_sends: enterSends } });
    return { result: undefined };
  });
}

/**
 * Notes that the caller has seen a tip; his clients are told which is the next (reference facts, events 14.3 and 15.6).
 *
 * @throws ApiError without code for a name that no tip has
 */
export async function markHotspotSeen(
  context: PeopleContext,
  caller: Caller,
  name: string,
): Promise<void> {
  if (!isHotspot(name)) throw withoutCode(`Unknown hotspot: ${name}`);
  await context.eventLog.transaction(async (client) => {
    const user = getActor(await lockUsersForOwnChange(client, [caller.userId]), caller);
    const { seen_hotspots: seen } = userSettings(user);
    if (seen.includes(name)) return { result: undefined };
    const changed = await updateUser(client, user.id, {
      settings: { seen_hotspots: [...seen, name] },
    });
    const event = { type: 'hotspots' as const, hotspots: nextHotspots(changed) };
    const entry = entryForEveryone([toUsers([user.id], event)]);
    const audience = audienceKey.user(user.id);
    return { result: undefined, append: { entries: [{ ...entry, audience }] } };
  });
}
