/** The README of this folder has each row of the facts about clients, and names existing tests. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { hasTitle } from '../docs/named-tests.ts';
import { rowsOf } from './page.ts';

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

/** Whether a test file of this folder or beside it, or a section of the page, has what a cell names. */
function isThere(named: string): boolean {
  const [, section, row] = /^section ([\d.]+): (.+)$/.exec(named) ?? [];
  if (section !== undefined) return rowsOf(section).some(([name]) => name === row);
  const [, file, title] = /^`((?:\.\.\/[\w-]+\/)?[\w.-]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
  if (file === undefined || title === undefined) return false;
  return hasTitle(readFileSync(new URL(file, import.meta.url), 'utf8'), title);
}

describe.each(sections)('section %s', (section, expected) => {
  const rows = rowsOf(section);

  test('has each row of the facts', () => {
    // A row of several calls names each of them after a colon.
    expect(new Set(rows.map(([name]) => name?.split(': ')[0])).size).toBe(expected);
  });

  test('names existing tests', () => {
    const named = rows.flatMap((cells) =>
      cells
        .slice(1)
        .flatMap((cell) =>
          cell.split('<br>').filter((text) => text.includes('`: ') || text.startsWith('section ')),
        ),
    );
    expect(named.filter((text) => !isThere(text))).toEqual([]);
  });
});
