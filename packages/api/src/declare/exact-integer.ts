declare global {
  interface JSON {
    /** Represents JSON text for `JSON.stringify`; the libraries of TypeScript do not have it yet. */
    rawJSON(text: string): object;
  }
}

/** @returns a member of an answer that is written as this integer, of any size: a double would change integers beyond 2^53 */
export function exactInteger(value: bigint): object {
  return JSON.rawJSON(String(value));
}
