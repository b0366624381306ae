import type { Settings } from '../../data/state.ts';

type HourSetting = Pick<Settings, 'twenty_four_hour_time'>;

/** By whether the day has twenty-four hours. Making a format takes long, using it does not. */
const timeFormats = [true, false].map(
  (hour12) => new Intl.DateTimeFormat(undefined, { timeStyle: 'short', hour12 }),
);

/** The time of day of a moment. */
export function formatTime(at: Date, { twenty_four_hour_time }: HourSetting): string {
  return timeFormats[Number(twenty_four_hour_time)]?.format(at) ?? '';
}

/** A moment with its day and year. */
export function formatLongMoment(atSecs: number, { twenty_four_hour_time }: HourSetting): string {
  return new Date(atSecs * 1_000).toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    hour12: !twenty_four_hour_time,
  });
}

const daySecs = 86_400;

/** When a message was sent, as short as it is clear: the time of today, the weekday of this week, otherwise the date. */
export function formatAge(atSecs: number, nowSecs: number, settings: HourSetting): string {
  const at = new Date(atSecs * 1_000);
  const now = new Date(nowSecs * 1_000);
  if (at.toDateString() === now.toDateString()) return formatTime(at, settings);
  if (nowSecs - atSecs < 6 * daySecs) return at.toLocaleDateString(undefined, { weekday: 'short' });
  return at.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(at.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  });
}
