/** Seeds of random tests that once found a fault: a run begins with them. Whoever mends what a seed found adds the seed here. */
const foundFaults = {
  'hostile input': [],
  privacy: [],
  'read state': [],
  'state and events': [1891154805],
  visibility: [],
  'pages from memory': [],
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type RandomTest = keyof typeof foundFaults;

/**
 * The seeds that a random test is run with, in this order: those that once found a fault, and a new one. `PARLEY_PROPERTY_SEED`
 * stands for all of them, and repeats a run by the seed that it printed.
 */
export function seedsOf(test: RandomTest): readonly number[] {
  const asked = process.env['PARLEY_PROPERTY_SEED'];
  if (asked !== undefined) return [Number(asked)];
  return [...foundFaults[test], Math.trunc(Math.random() * 2 ** 31)];
}
