import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { generatedPages } from './generated-pages.ts';

test.each(generatedPages())(
  '$path says what the code says (written by npm run docs)',
  ({ path, text }) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text);
  },
);
