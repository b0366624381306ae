/** Formats sizes and times for people. */

const sizes = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const step = 1024;

export function describeBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= step && unit < sizes.length - 1) {
    value /= step;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${sizes[unit] ?? ''}`;
}

export function describeSecs(secs: number): string {
  if (secs < 120) return `${Math.round(secs)} s`;
  if (secs < 7200) return `${Math.round(secs / 60)} min`;
  if (secs < 172_800) return `${Math.round(secs / 3600)} h`;
  return `${Math.round(secs / 86_400)} days`;
}
