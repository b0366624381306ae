import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { hasTitle } from './named-tests.ts';

const folder = new URL('../api/', import.meta.url);
function lines(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The lines of each checklist, by the heading of its table. */
const checklists = {
  messages: lines(1, 102),
  streams: lines(1, 72),
  events: lines(1, 82),
  requests: [...lines(1, 34), ...lines(38, 39)],
  'the organization': [...lines(35, 37), ...lines(57, 63)],
  people: [...lines(40, 56), ...lines(64, 85)],
};

type Row = { readonly line: number; readonly tests: readonly string[] };

function readRows(about: string): Row[] {
  const page = readFileSync(new URL('README.md', folder), 'utf8');
  const [, table = ''] = page.split(`## What clients rely on about ${about}\n`);
  return Array.from(
    (table.split('\n## ')[0] ?? '').matchAll(/^\| (\d+) \| [^|]+ \| ([^|]*) \|$/gm),
    ([, line = '', tests = '']) => ({ line: Number(line), tests: tests.split('<br>') }),
  );
}

describe.each(Object.entries(checklists))('the checklist of %s', (about, expected) => {
  const rows = readRows(about);

  test('the table of tests/api/README.md has each of its lines once', () => {
    expect(rows.map((row) => row.line)).toEqual(expected);
  });

  test.each(rows)('line $line names existing tests', ({ tests }) => {
    for (const named of tests) {
      const [, file = '', title = ''] =
        /^`((?:[\w.-]+\/)*[\w-]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
      expect(file, `"${named}" names a file and a title`).not.toBe('');
      const source = readFileSync(new URL(file, folder), 'utf8');
      expect(hasTitle(source, title), `${file} has a test "${title}"`).toBe(true);
    }
  });
});
