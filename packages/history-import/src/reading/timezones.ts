/** @returns whether a name is of the time zone database; the empty one means none */
export function isTimezone(name: string): boolean {
  if (name === '') return true;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
