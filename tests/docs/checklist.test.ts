import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

const folder = new URL('../api/', import.meta.url);
const linesOfChecklist = 102;

type Row = { readonly line: number; readonly tests: readonly string[] };

function readRows(): Row[] {
  const table = readFileSync(new URL('README.md', folder), 'utf8');
  return Array.from(
    table.matchAll(/^\| (\d+) \| [^|]+ \| ([^|]*) \|$/gm),
    ([, line = '', tests = '']) => ({ line: Number(line), tests: tests.split('<br>') }),
  );
}

/** Whether a test, or a case of one, has this title: the first argument of a call or the first item of a row. */
function hasTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const literal = `${quote}${title}${quote}`;
    for (let at = source.indexOf(literal); at !== -1; at = source.indexOf(literal, at + 1)) {
      if (/[([]\s*$/.test(source.slice(0, at))) return true;
    }
    return false;
  });
}

const rows = readRows();

test('the table of tests/api/README.md has each line of the checklist once', () => {
  expect(rows.map((row) => row.line)).toEqual(
    Array.from({ length: linesOfChecklist }, (_, index) => index + 1),
  );
});

test.each(rows)('line $line names tests that are there', ({ tests }) => {
  for (const named of tests) {
    const [, file = '', title = ''] = /^`([\w-]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
    expect(file, `"${named}" names a file and a title`).not.toBe('');
    const source = readFileSync(new URL(file, folder), 'utf8');
    expect(hasTitle(source, title), `${file} has a test "${title}"`).toBe(true);
  }
});
