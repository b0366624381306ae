import { badRequest } from '@parley/api';
import { emojisets, notificationSounds } from '@parley/api/people';
import { findLanguageName } from '@parley/store';
import type { UserSettings } from '@parley/api/people';

/** The settings of an account, and their permitted values (reference facts, people 9). */

/** In seconds. Mails tell of messages of the last day only. */
const batchingPeriod = { min: 5, max: 86_400 } as const;

/** New values by name; `timezone` is a display setting too, although it is stored separately. */
export type SettingChange = Partial<UserSettings> & { readonly timezone?: string };

const demoteInactiveStreams: ReadonlySet<number> = new Set([1, 2, 3]);

/** @returns whether a name is an IANA time zone in its exact spelling; old names count, offsets do not */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    // The engine accepts any letter case and returns the exact spelling, the only one that clients know.
    return new Temporal.ZonedDateTime(0n, name).timeZoneId === name;
  } catch {
    return false;
  }
}

/** @throws ApiError coded, naming the first invalid value (reference facts, people 9) */
export function checkSettings(change: SettingChange): void {
  const { default_language: language, timezone, emojiset, notification_sound: sound } = change;
  const demote = change.demote_inactive_streams;
  const period = change.email_notifications_batching_period_seconds;
  if (period !== undefined && (period < batchingPeriod.min || period > batchingPeriod.max))
    throw badRequest(`Invalid email batching period: ${period} seconds`);
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
