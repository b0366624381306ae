/** @returns a copy with one value changed; the same map if it has none under the key */
export function changedMap<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  key: Key,
  change: (value: Value) => Value,
): ReadonlyMap<Key, Value> {
  const value = map.get(key);
  return value === undefined ? map : new Map(map).set(key, change(value));
}
