/** Time is an input: sources ask the clock that they are given. The linter finds most other ways (`.oxlintrc.json`), and this the rest. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { repositoryFolder } from './repository-folder.ts';

/** The current time of the machine as a date. */
const currentDate = /\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)/;
const machineTime = /\bsystemClock\b/;

/** What has the time of the machine, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/{command,demo,launcher,local-stores}/src/**': 'programs of their own',
  'packages/files/src/images/decoder-process.ts': 'a process of its own',
  'packages/server/src/{run-services,service-frame}.ts': 'where services get their clock',
  'packages/server/src/write-answer.ts': 'agrees with the Date header, which Node writes',
  'packages/telemetry/src/logging/create-logger.ts':
    'by which lines of several machines are compared',
};

const comments = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g;

function listWith(text: RegExp, sources: readonly string[], excluded: readonly string[]): string[] {
  return globSync(sources, {
    cwd: repositoryFolder,
    exclude: [...excluded, '**/node_modules', '**/*.test.ts'],
  }).filter((path) => {
    if (!path.endsWith('.ts')) return false;
    return text.test(readFileSync(join(repositoryFolder, path), 'utf8').replaceAll(comments, ''));
  });
}

const sources = ['packages/*/src/**/*.ts', 'services/*/src/**/*.ts'];
const ofOthers = ['packages/{clock,client,web,test-kit}/**'];

test('no source takes the current date from the machine', () => {
  expect(listWith(currentDate, sources, ofOthers)).toEqual([]);
  expect(['new Date()', 'Date( )'].every((text) => currentDate.test(text))).toBe(true);
  expect(['new Date(nowMs)', 'toDate()'].some((text) => currentDate.test(text))).toBe(false);
});

test('services and their packages get their clock', () => {
  expect(listWith(machineTime, sources, [...ofOthers, ...Object.keys(exceptions)])).toEqual([]);
});

test('the permitted exceptions use the time of the machine', () => {
  const unused = Object.keys(exceptions).filter(
    (pattern) => listWith(machineTime, [pattern], []).length === 0,
  );
  expect(unused).toEqual([]);
});
