/** The matchers for a value inside an expected object, with a type that lint accepts: vitest declares them as any. */
import { isDeepStrictEqual } from 'node:util';

import { expect } from 'vitest';

export const anyNumber: unknown = expect.any(Number);
export const anyString: unknown = expect.any(String);

/** A text in which the pattern occurs. */
export function textMatching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

/** A list with at least these items, in any order. */
export function listWith(...items: readonly unknown[]): unknown {
  return expect.arrayContaining([...items]);
}

/** A list of exactly these items, in any order. */
export function inAnyOrder(...items: readonly unknown[]): unknown {
  return expect.toSatisfy(
    (list: readonly unknown[]) =>
      list.length === items.length &&
      items.every((item) => list.some((candidate) => isDeepStrictEqual(candidate, item))),
  );
}
