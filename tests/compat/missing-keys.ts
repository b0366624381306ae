import type { JsonObject } from '@parley/test-kit';

/** A key by its path; `*` is the last entry of a list or an object. */
export type KeyPath = readonly string[];

function child(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value.at(-1);
  const holder = (value ?? {}) as JsonObject;
  return holder[step === '*' ? (Object.keys(holder).at(-1) ?? '') : step];
}

/** @returns the keys that an answer or event does not have */
export function missingKeys(answer: JsonObject, paths: readonly KeyPath[]): string[] {
  return paths
    .filter((path) => path.reduce<unknown>(child, answer) === undefined)
    .map((path) => path.join('.'));
}
