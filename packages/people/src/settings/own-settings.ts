import { badRequest } from '@parley/api';
import { emojisets, notificationSounds } from '@parley/api/people';
import { findLanguageName } from '@parley/store';
import type { UserSettings } from '@parley/api/people';

/** The settings of an account, and what each may be (reference facts, people 9). */

/** New values by name; `timezone` is a display setting too, though it is stored beside them. */
export type SettingChange = Partial<UserSettings> & { readonly timezone?: string };

const demoteInactiveStreams: ReadonlySet<number> = new Set([1, 2, 3]);

/** @returns whether a name is that of a time zone, as the IANA lists and spells them, old names too; offsets are none */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // The engine takes any letter case and gives the one spelling; clients know that one only.
    return new Temporal.ZonedDateTime(0n, name).timeZoneId === name;
  } catch {
    return false;
  }
}

/** @throws ApiError coded, naming the first value that is none (reference facts, people 9) */
export function checkSettings(change: SettingChange): void {
  const { default_language: language, timezone, emojiset, notification_sound: sound } = change;
  const demote = change.demote_inactive_streams;
  if (language !== undefined && findLanguageName(language) === undefined)
    throw badRequest(`Invalid language '${language}'`);
  if (timezone !== undefined && !isTimeZone(timezone))
    throw badRequest(`Invalid timezone '${timezone}'`);
  if (emojiset !== undefined && !emojisets.some(({ key }) => key === emojiset))
    throw badRequest(`Invalid emojiset '${emojiset}'`);
  if (demote !== undefined && !demoteInactiveStreams.has(demote))
    throw badRequest(`Invalid setting value '${demote}'`);
  if (sound !== undefined && !notificationSounds.includes(sound))
    throw badRequest(`Invalid notification sound '${sound}'`);
}
