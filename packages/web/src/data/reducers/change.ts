import type { Signal } from '@preact/signals';

import type { Known, State } from '../state.ts';

/** Changes what the state has in the form of `register`. */
export function changeRest({ rest }: State, change: Partial<Known['rest']>): void {
  rest.value = { ...rest.peek(), ...change };
}

/** A map that the state has. */
type Held<Key, Value> = Signal<ReadonlyMap<Key, Value>>;

/** Puts values into a map, in place of those that it has under their keys. */
export function putIn<Key, Value>(
  held: Held<Key, Value>,
  entries: Iterable<readonly [Key, Value]>,
): void {
  const all = new Map(held.peek());
  for (const [key, value] of entries) all.set(key, value);
  held.value = all;
}

/** Changes the values that it has under some keys. */
export function changeIn<Key, Value>(
  held: Held<Key, Value>,
  keys: Iterable<Key>,
  change: (value: Value) => Value,
): void {
  const had = held.peek();
  const changed = [...keys].flatMap((key): [Key, Value][] => {
    const value = had.get(key);
    return value === undefined ? [] : [[key, change(value)]];
  });
  if (changed.length > 0) putIn(held, changed);
}

export function removeFrom<Key, Value>(held: Held<Key, Value>, keys: Iterable<Key>): void {
  const left = new Map(held.peek());
  for (const key of keys) left.delete(key);
  held.value = left;
}
