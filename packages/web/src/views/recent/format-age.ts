import type { Settings } from '../../data/state.ts';

const daySecs = 86_400;

/** When a message was sent, as short as it is clear: the time of today, the weekday of this week, otherwise the date. */
export function formatAge(
  atSecs: number,
  nowSecs: number,
  settings: Pick<Settings, 'twenty_four_hour_time'>,
): string {
  const at = new Date(atSecs * 1_000);
  const now = new Date(nowSecs * 1_000);
  if (at.toDateString() === now.toDateString())
    return at.toLocaleTimeString(undefined, {
      hour: 'numeric',
      minute: '2-digit',
      hour12: !settings.twenty_four_hour_time,
    });
  if (nowSecs - atSecs < 6 * daySecs) return at.toLocaleDateString(undefined, { weekday: 'short' });
  const isThisYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  });
}
