/** @returns a description in its stored form, one line (reference facts, streams 5.1 and 8.1) */
export function withoutNewlines(description: string): string {
  return description.replaceAll(/\r\n|\r|\n/g, ' ');
}
