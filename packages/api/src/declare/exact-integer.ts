declare global {
  interface JSON {
    /** What stands for a text of JSON in what `JSON.stringify` is given; the libraries of TypeScript do not know it yet. */
    rawJSON(text: string): object;
  }
}

/** @returns a member of an answer that is written as this integer, of whatever size: doubles beyond 2^53 would change it */
export function exactInteger(value: bigint): object {
  return JSON.rawJSON(String(value));
}
