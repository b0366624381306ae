import { lockOwnAccount } from '@parley/store/access';
import type { ApiEvent } from '@parley/api/events';
import type { SettingChanges } from '@parley/api/people';
import { audienceKey } from '@parley/event-log';
import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import { findLanguageName, isHotspot, nextHotspots, updateUser, userSettings } from '@parley/store';
import type { User, UserChange } from '@parley/store';

import { entryForEveryone, personUpdated, toUsers } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { changedMembers, mapMembers } from '../typed-members.ts';
import { checkSettings } from './own-settings.ts';

type DisplaySettings = Required<SettingChanges['display']>;
type NotificationSettings = Required<SettingChanges['notifications']>;

type DisplayEvent<Names extends keyof DisplaySettings> = {
  [Name in Names]: {
    readonly type: 'update_display_settings';
    readonly user: string;
    readonly setting_name: Name;
    readonly setting: DisplaySettings[Name];
    readonly language_name?: string;
  };
}[Names];

type NotificationEvent<Names extends keyof NotificationSettings> = {
  [Name in Names]: {
    readonly type: 'update_global_notifications';
    readonly user: string;
    readonly notification_name: Name;
    readonly setting: NotificationSettings[Name];
  };
}[Names];

/** The settings of one endpoint: how they are stored, and the event of each. */
type SettingGroup<Settings extends object> = {
  readonly stored: (user: User) => Settings;
  readonly update: (changed: Partial<Settings>) => UserChange;
  readonly event: <Name extends keyof Settings>(
    user: User,
    name: Name,
    value: Settings[Name],
  ) => ApiEvent;
};

function displayEvent<Name extends keyof DisplaySettings>(
  user: User,
  name: Name,
  value: DisplaySettings[Name],
): DisplayEvent<keyof DisplaySettings> {
  const language = name === 'default_language' ? findLanguageName(String(value)) : undefined;
  const event: DisplayEvent<Name> = {
    type: 'update_display_settings',
    user: user.email,
    setting_name: name,
    setting: value,
    ...(language !== undefined && { language_name: language }),
  };
  // Of a type parameter the compiler does not see that it is one of the union.
  return event as DisplayEvent<keyof DisplaySettings>;
}

function notificationEvent<Name extends keyof NotificationSettings>(
  user: User,
  name: Name,
  value: NotificationSettings[Name],
): NotificationEvent<keyof NotificationSettings> {
  const event: NotificationEvent<Name> = {
    type: 'update_global_notifications',
    user: user.email,
    notification_name: name,
    setting: value,
  };
  // Of a type parameter the compiler does not see that it is one of the union.
  return event as NotificationEvent<keyof NotificationSettings>;
}

const displayGroup: SettingGroup<DisplaySettings> = {
  stored: (user) => ({ ...userSettings(user), timezone: user.timezone }),
  update: ({ timezone, ...settings }) => ({
    settings,
    ...(timezone !== undefined && { timezone }),
  }),
  event: displayEvent,
};

const notificationGroup: SettingGroup<NotificationSettings> = {
  stored: userSettings,
  update: (settings) => ({ settings }),
  event: notificationEvent,
};

/** Changes settings of the caller. Everybody gets an event for a new time zone. */
async function changeSettings<Settings extends object>(
  context: PeopleContext,
  caller: Caller,
  group: SettingGroup<Settings>,
  wanted: Partial<Settings>,
): Promise<Partial<Settings>> {
  return context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    const changed = changedMembers(wanted, group.stored(user));
    const update = group.update(changed);
    const events = mapMembers(changed, (name, value) =>
      toUsers([user.id], group.event(user, name, value)),
    );
    if (events.length === 0) return { result: {} };
    await updateUser(client, user.id, update);
    const { timezone } = update;
    if (timezone !== undefined) events.push(personUpdated(user, { email: user.email, timezone }));
    const entry = entryForEveryone(events);
    const audience = timezone === undefined ? audienceKey.user(user.id) : entry.audience;
    return { result: changed, append: { entries: [{ ...entry, audience }] } };
  });
}

/**
 * Changes how the caller's clients show things (reference facts, people 9; events 14.3).
 *
 * @returns the settings that really changed
 * @throws ApiError with a code, naming the first invalid value
 */
export async function changeDisplaySettings(
  context: PeopleContext,
  caller: Caller,
  wanted: SettingChanges['display'],
): Promise<SettingChanges['display']> {
  checkSettings(wanted);
  return changeSettings(context, caller, displayGroup, wanted);
}

/**
 * Changes what the caller is notified of; otherwise as `changeDisplaySettings`.
 *
 * @throws ApiError with a code, naming the first invalid value
 */
export async function changeNotificationSettings(
  context: PeopleContext,
  caller: Caller,
  wanted: SettingChanges['notifications'],
): Promise<SettingChanges['notifications']> {
  checkSettings(wanted);
  return changeSettings(context, caller, notificationGroup, wanted);
}

/** Stores whether the caller's Enter key sends; there is no event (reference facts, events 14.3). */
export async function setEnterSends(
  context: PeopleContext,
  caller: Caller,
  enterSends: boolean,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    await updateUser(client, user.id, { settings: { enter_sends: enterSends } });
    return { result: undefined };
  });
}

/**
 * Notes that the caller has seen a tip, with an event that names the next tips (reference facts, events 14.3 and 15.6).
 *
 * @throws ApiError without code for an unknown name
 */
export async function markHotspotSeen(
  context: PeopleContext,
  caller: Caller,
  name: string,
): Promise<void> {
  if (!isHotspot(name)) throw withoutCode(`Unknown hotspot: ${name}`);
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
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
