import type { Settings } from '../../data/state.ts';
import { formatTime } from '../parts/time.ts';

const daySecs = 86_400;

/** When a message was sent, as short as it is clear: the time of today, the weekday of this week, otherwise the date. */
export function formatAge(
  atSecs: number,
  nowSecs: number,
  settings: Pick<Settings, 'twenty_four_hour_time'>,
): string {
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
