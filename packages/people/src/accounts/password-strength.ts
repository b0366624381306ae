import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** Reference facts, people 7.3: shorter passwords, and those that are guessed with fewer tries, are too weak. */
const passwordMinLength = 6;
const guessesMin = 10_000;

/**
 * Estimating blocks the service: for about 50 ms at most with these bounds, and for half a second without them. Characters beyond the
 * length make no password weaker; substitutions replace letters by digits and signs.
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

/** The dictionaries are large, so they are loaded when the first password is checked. */
let estimator: Promise<ZxcvbnFactory> | undefined;

/**
 * Estimates the tries of an attacker who knows common passwords, words, names, keyboard patterns and the person.
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
