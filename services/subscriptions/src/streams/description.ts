/** @returns a description as it is stored: one line (reference facts, streams 5.1 and 8.1) */
export function withoutNewlines(description: string): string {
  return description.replaceAll(/\r\n|\r|\n/g, ' ');
}
