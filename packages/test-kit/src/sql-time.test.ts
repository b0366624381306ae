/** SQL asks one function for the time, `parley_now()`, which tests move (decision 0059): no statement and no default has another clock. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { repositoryFolder } from './repository-folder.ts';

/** All spellings of the time in Postgres. A method of the same name, as in `Date.now()`, is no SQL. */
const clocks =
  /(?<![\w.])(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)|\bCURRENT_(?:TIMESTAMP|DATE|TIME)\b|\bLOCALTIME(?:STAMP)?\b|'(?:now|today|tomorrow|yesterday)'(?=::|\s*\))|\b(?:timestamptz|timestamp|date|time)\s+'(?:now|today)'/;

const sources = [
  'packages/*/src/**/*.ts',
  'services/*/{src,tests}/**/*.ts',
  'packages/database/functions/*.sql',
  'packages/database/schema.sql',
  'tests/**/*.ts',
];

/** The files that have another clock, and why. */
const others: Readonly<Record<string, string>> = {
  'packages/database/functions/parley_now.sql': 'is the function',
  'packages/test-kit/src/sql-time.test.ts': 'names the spellings',
  'tests/integration/sql-time.test.ts': 'compares the function with them',
  'tests/integration/idle-transactions.test.ts': "compares with a time of Postgres' own statistics",
  'tests/load/controls/pgbench.ts': 'has tables of its own',
};

const comments = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*|--[^\n]*/g;

function hasClock(path: string): boolean {
  return clocks.test(readFileSync(join(repositoryFolder, path), 'utf8').replaceAll(comments, ''));
}

test('SQL asks parley_now() for the time', () => {
  const paths = globSync(sources, {
    cwd: repositoryFolder,
    exclude: ['**/node_modules', 'packages/web/**', ...Object.keys(others)],
  });
  expect(paths.length).toBeGreaterThan(1_000);
  expect(paths.filter(hasClock)).toEqual([]);
});

test('the permitted exceptions have another clock', () => {
  expect(Object.keys(others).filter((path) => !hasClock(path))).toEqual([]);
});

test.each([
  'due_at <= now()',
  'DEFAULT clock_timestamp()',
  'statement_timestamp ( )',
  "SELECT 'now'::timestamptz",
  "timestamptz 'now'",
  'due_at < CURRENT_TIMESTAMP',
  'LOCALTIMESTAMP',
])('%s is such a spelling', (text) => {
  expect(clocks.test(text)).toBe(true);
});

test.each(['due_at <= parley_now()', 'Date.now()', 'clock.now()', 'performance.now()'])(
  '%s is none',
  (text) => {
    expect(clocks.test(text)).toBe(false);
  },
);
