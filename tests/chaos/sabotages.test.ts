import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { applyReplacement } from '../support/altered-sources.ts';
import { sabotages } from './sabotages.ts';

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
