import type { Settings } from '../../data/state.ts';

/** The time of day of a moment. */
export function formatTime(
  at: Date,
  { twenty_four_hour_time }: Pick<Settings, 'twenty_four_hour_time'>,
): string {
  return at.toLocaleTimeString(undefined, { timeStyle: 'short', hour12: !twenty_four_hour_time });
}

/** A moment with its day. */
export function formatMoment(
  at: Date,
  { twenty_four_hour_time }: Pick<Settings, 'twenty_four_hour_time'>,
): string {
  return at.toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    hour12: !twenty_four_hour_time,
  });
}
