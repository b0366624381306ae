import type { Known, State } from '../state.ts';

/** Changes what the state has in the form of `register`. */
export function changeRest({ rest }: State, change: Partial<Known['rest']>): void {
  rest.value = { ...rest.peek(), ...change };
}

/** @returns a copy with one value changed; the same map if it has none under the key */
export function changedMap<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  key: Key,
  change: (value: Value) => Value,
): ReadonlyMap<Key, Value> {
  const value = map.get(key);
  return value === undefined ? map : new Map(map).set(key, change(value));
}

/** @returns a copy without these keys */
export function without<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  keys: Iterable<Key>,
): ReadonlyMap<Key, Value> {
  const left = new Map(map);
  for (const key of keys) left.delete(key);
  return left;
}
