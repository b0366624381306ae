import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Reference facts, people 7.3: shorter ones, and those found in fewer tries, are too weak. */
const passwordMinLength = 6;
const guessesMin = 10_000;

/**
 * Estimating holds up the service: with these bounds for some 50 ms at most, without them for half a second. What lies beyond the
 * length makes no password weaker; substitutions are the ways in which letters may be hidden behind digits and signs.
 */
const estimatedMaxLength = 40;
const substitutionsMax = 8;

async function makeEstimator(): Promise<ZxcvbnFactory> {
  const [core, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  return new core.ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    l33tMaxSubstitutions: substitutionsMax,
  });
}

/** The dictionaries are large: loaded when the first password is judged. */
let estimator: Promise<ZxcvbnFactory> | undefined;

/**
 * Judges a password by how many tries somebody needs who knows common passwords, words, names and keyboard patterns, and the
 * person.
 *
 * @param ownWords name and address of the person
 */
export async function isPasswordStrong(
  password: string,
  ownWords: readonly string[] = [],
): Promise<boolean> {
  if (Array.from(password).length < passwordMinLength) return false;
  estimator ??= makeEstimator();
  const start = password.slice(0, estimatedMaxLength);
  return (await estimator).check(start, [...ownWords]).guesses >= guessesMin;
}
