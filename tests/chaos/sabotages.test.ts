import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { applyReplacement, sabotages } from './sabotages.ts';

test.each(Object.entries(sabotages))(
  'the sabotage %s fits the current sources',
  async (_name, { replacements }) => {
    const texts = new Map<string, string>();
    for (const replacement of replacements) {
      const { file } = replacement;
      const text = texts.get(file) ?? (await readFile(join(repositoryFolder, file), 'utf8'));
      texts.set(file, applyReplacement(text, replacement));
    }
    for (const [file, text] of texts)
      expect(text).not.toBe(await readFile(join(repositoryFolder, file), 'utf8'));
  },
);

test('a replacement whose text is absent or ambiguous is refused', () => {
  const replacement = { file: 'a file', find: 'x', put: 'y' };
  expect(applyReplacement('axb', replacement)).toBe('ayb');
  expect(() => applyReplacement('ab', replacement)).toThrow('0 times');
  expect(() => applyReplacement('xx', replacement)).toThrow('2 times');
});
