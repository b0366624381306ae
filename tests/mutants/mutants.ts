/**
 * Small changes of the sources, each a fault that somebody could make, with what notices it. `npm run mutants` makes them one at a time in a
 * copy.
 */
import { readFileSync } from 'node:fs';

import type { Replacement } from '../support/altered-sources.ts';

export type Mutant = Replacement & {
  /** What is broken. */
  readonly name: string;
  /** The file of tests of which at least one must fail. */
  readonly caughtBy: string;
  /** A pattern of the names of the tests that notice it. */
  readonly title: string;
};

/** Its name, `FILE < TEST FILE: TITLE`, the lines that go and those that come. */
function readMutant(block: string): Mutant {
  const [name = '', where = '', ...lines] = block.split('\n');
  const [, file, caughtBy, title] = /^(\S+) < (\S+): (.+)$/.exec(where) ?? [];
  if (file === undefined || caughtBy === undefined || title === undefined)
    throw new Error(`${name}: ${where}`);
  const after = (sign: string): string =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(2))
      .join('\n');
  return { name, file, caughtBy, title, find: after('-'), put: after('+') };
}

export const mutants: readonly Mutant[] = readFileSync(
  new URL('mutants.txt', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n\n')
  .filter((block) => !block.startsWith('## '))
  .map(readMutant);
