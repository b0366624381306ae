/**
 * Seeds of random tests that once found a fault: each run begins with them. A fix of a fault that has no test of its
 * own adds its seed here.
 */
const foundFaults = {
  'history import': [],
  'hostile input': [],
  privacy: [],
  'read state': [],
  'state and events': [1891154805],
  visibility: [],
  'pages from memory': [],
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type RandomTest = keyof typeof foundFaults;

/**
 * The seeds of a random test, in this order: those that once found a fault, and a new one. `PARLEY_PROPERTY_SEED` replaces all of
 * them, and repeats a run by the seed that it printed.
 */
export function seedsOf(test: RandomTest): readonly number[] {
  const given = process.env['PARLEY_PROPERTY_SEED'];
  if (given !== undefined) return [Number(given)];
  return [...foundFaults[test], Math.trunc(Math.random() * 2 ** 31)];
}
