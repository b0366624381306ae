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

const fixedSeed = 1;

const given = process.env['PARLEY_PROPERTY_SEED'];
/** Seeds that nobody has tried before, each time others. */
const newSeeds = Number(process.env['PARLEY_PROPERTY_NEW_SEEDS'] ?? 0);

/** The seed of random tests that have none of their own; undefined for another one each time. */
export const commonSeed =
  given !== undefined ? Number(given) : newSeeds === 0 ? fixedSeed : undefined;

/**
 * The seeds of a random test: those that once found a fault, then a fixed one, or before a release as many new ones as
 * `PARLEY_PROPERTY_NEW_SEEDS` says. `PARLEY_PROPERTY_SEED` replaces all of them, and repeats a run by the seed that it printed.
 */
export function seedsOf(test: RandomTest): readonly number[] {
  if (given !== undefined) return [Number(given)];
  const last =
    newSeeds === 0
      ? [fixedSeed]
      : Array.from({ length: newSeeds }, () => Math.trunc(Math.random() * 2 ** 31));
  return [...foundFaults[test], ...last];
}
