import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { generatedPages } from './generated-pages.ts';

test.each(generatedPages())(
  '$path agrees with the code (written by npm run docs)',
  ({ path, text }) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text);
  },
);

test('no two decisions have the same number', () => {
  const names = readdirSync(new URL('../../docs/decisions/', import.meta.url));
  const numbers = names.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

const exclude = ['**/node_modules', '**/dist', '.parley', 'docs/spec'];
const pages = globSync('**/*.md', { cwd: repositoryFolder, exclude });
const testFiles = globSync('**/*.test.ts', { cwd: repositoryFolder, exclude });

const matches = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, match = '']) => match);

test.each(pages)('%s links to files, and names tests, that are there', (page) => {
  const text = readFileSync(join(repositoryFolder, page), 'utf8');
  const links = matches(text.replaceAll(/`[^`]*`/g, ''), /\]\((?![a-z]+:|#)([^)#\s]+)/g);
  // In capitals stands what a reader puts in.
  const tests = matches(text, /`(?![^`]*[A-Z]{3})([\w./-]+\.test\.ts)`/g);
  const isBeside = (path: string): boolean =>
    existsSync(join(repositoryFolder, dirname(page), path));
  const isTest = (path: string): boolean =>
    isBeside(path) || testFiles.some((file) => `/${file}`.endsWith(`/${path}`));
  expect(links.filter((path) => !isBeside(path))).toEqual([]);
  expect(tests.filter((path) => !isTest(path))).toEqual([]);
});
