/** An object of the state, by its keys. */
export type Item = Record<string, unknown>;
