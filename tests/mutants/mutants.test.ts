import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { applyReplacement } from '../support/altered-sources.ts';
import { mutants } from './mutants.ts';

test('every mutant has a name of its own', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

test.each(mutants)('the sources can be changed so that $name', async (mutant) => {
  const text = await readFile(join(repositoryFolder, mutant.file), 'utf8');
  expect(applyReplacement(text, mutant)).not.toBe(text);
  expect(await access(join(repositoryFolder, mutant.caughtBy))).toBeUndefined();
});
