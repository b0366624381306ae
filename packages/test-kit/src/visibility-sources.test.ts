/** SQL that decides who may see what is in one module: no other statement uses the data of these rules. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { repositoryFolder } from './repository-folder.ts';

const home = 'packages/store/src/visibility/visibility-sql.ts';

/** The columns and the table that the rules use. */
const deciding = /\b(?:invite_only|history_public_to_subscribers|membership_periods)\b/;

/** Whether a file contains SQL, even a fragment; some members of the interface have the same names as these columns. */
const sql = /\b(?:SELECT|FROM|WHERE|INSERT|UPDATE|EXISTS|JOIN|AND|OR|NOT)\b/;

/** The other files that may name them, and why. */
const others: Readonly<Record<string, string>> = {
  'packages/store/src/streams/streams.ts':
    'owns the table of streams: reads and writes its columns as facts',
  'packages/store/src/streams/memberships.ts':
    'owns the table of periods: opens and closes them, and lists who is or was a member of a stream',
  'packages/store/src/imports/imported-read-state.ts':
    'opens and closes the periods of an imported organization',
  'packages/store/src/organization/public-data.ts':
    'writes members of these names, as its format has them',
  'packages/command/src/transfer/tables.ts': 'names every table that a backup holds',
};

const sources = [
  'packages/*/src/**/*.ts',
  'services/*/src/**/*.ts',
  'packages/database/functions/*.sql',
];

const comments = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g;

test('the visibility rules are in one SQL module', () => {
  const excluded = [home, ...Object.keys(others), '**/node_modules', '**/tests', '**/*.test.ts'];
  const strays = globSync(sources, {
    cwd: repositoryFolder,
    exclude: excluded,
  }).filter((path) => {
    const text = readFileSync(join(repositoryFolder, path), 'utf8').replaceAll(comments, '');
    return deciding.test(text) && sql.test(text);
  });
  expect(strays).toEqual([]);
});

test('the permitted exceptions use them', () => {
  const unused = Object.keys(others).filter(
    (pattern) =>
      !globSync(pattern, { cwd: repositoryFolder })
        .filter((path) => path.endsWith('.ts'))
        .some((path) => deciding.test(readFileSync(join(repositoryFolder, path), 'utf8'))),
  );
  expect(unused).toEqual([]);
});
