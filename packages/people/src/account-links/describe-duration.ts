const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * Says in words how long something lasts, in the largest unit of which it has one, rounded down.
 *
 * @param secs at least a minute
 */
export function describeDuration(secs: number): string {
  const [unit, unitSecs] = units.find(([, size]) => secs >= size) ?? units[2];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.floor(secs / unitSecs),
  );
}
