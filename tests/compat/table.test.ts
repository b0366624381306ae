/** The README of this folder has each row of the facts about clients, and names existing tests. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { hasTitle } from '../docs/named-tests.ts';

/** How many rows the facts have in each section. */
const sections: readonly (readonly [section: string, rows: number])[] = [
  ['1', 10],
  ['3.4', 58],
  ['4.2', 34],
  ['5.4', 25],
  ['5.6', 14],
  ['5.7', 13],
  ['6', 5],
];

const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');

type Row = { readonly name: string; readonly tests: readonly string[] };

function readRows(section: string): Row[] {
  const [, rest = ''] = page.split(`\n## Section ${section}: `);
  const lines = (rest.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  // Heading and ruler come first.
  return lines.slice(2).map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    return { name: cells[0] ?? '', tests: (cells.at(-1) ?? '').split('<br>') };
  });
}

describe.each(sections)('section %s', (section, expected) => {
  const rows = readRows(section);

  test('has each row of the facts once', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(expected);
    expect(rows).toHaveLength(expected);
  });

  test.each(rows)('$name names existing tests', ({ tests }) => {
    const missing = tests.filter((named) => {
      const [, file, title] = /^`((?:\.\.\/[\w-]+\/)?[\w.-]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
      if (file === undefined || title === undefined) return true;
      return !hasTitle(readFileSync(new URL(file, import.meta.url), 'utf8'), title);
    });
    expect(missing).toEqual([]);
  });
});
