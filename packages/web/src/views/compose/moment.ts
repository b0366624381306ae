import type { Settings } from '../../data/state.ts';

/** A date with its time, as the person's settings want it. */
export function formatMoment(at: Date, settings: Settings): string {
  return at.toLocaleString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    hour12: !settings.twenty_four_hour_time,
  });
}
