/** Copies of answers without one of their keys, to show that a reader notices. */
import type { JsonObject } from '@parley/test-kit';

import { KeyError } from './python-wire.ts';

/** A key by its path; `*` is the last entry of a list or an object. */
export type KeyPath = readonly string[];

function child(value: unknown, step: string): [key: string | number, value: unknown] {
  if (Array.isArray(value)) return [value.length - 1, value.at(-1)];
  const holder = (value ?? {}) as JsonObject;
  const key = step === '*' ? (Object.keys(holder).at(-1) ?? '') : step;
  return [key, holder[key]];
}

/** @returns whether the answer has this key */
export function hasPath(answer: unknown, path: KeyPath): boolean {
  let at = answer;
  for (const step of path) at = child(at, step)[1];
  return at !== undefined;
}

function withoutFrom(value: unknown, path: KeyPath): unknown {
  const [step = '', ...rest] = path;
  const [key, found] = child(value, step);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return [...list.slice(0, -1), withoutFrom(found, rest)];
  }
  const holder = value as JsonObject;
  if (rest.length > 0) return { ...holder, [key]: withoutFrom(found, rest) };
  return Object.fromEntries(Object.entries(holder).filter(([name]) => name !== key));
}

/** @returns a copy without the key */
export function without(answer: JsonObject, path: KeyPath): JsonObject {
  return withoutFrom(answer, path) as JsonObject;
}

/** @returns the existing keys whose absence a reader does not notice */
export function unnoticedKeys(
  read: (answer: JsonObject) => void,
  answer: JsonObject,
  paths: readonly KeyPath[],
): string[] {
  return paths
    .filter((path) => hasPath(answer, path))
    .filter((path) => {
      try {
        read(without(answer, path));
        return true;
      } catch (error) {
        return !(error instanceof KeyError && error.message === path.at(-1));
      }
    })
    .map((path) => path.join('.'));
}
