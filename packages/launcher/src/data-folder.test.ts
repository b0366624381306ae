import { execFileSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { DataFolder, foreignNames } from './data-folder.ts';

const repositoryFolder = join(import.meta.dirname, '../../..');

let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'parley-data-folder-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test('the environment file is readable by a shell, only for its owner, and removed at the end', async () => {
  const folder = await DataFolder.open(path, 9991, () => undefined);
  const values = {
    DATABASE_URL: 'postgres://parley:word@127.0.0.1:5432/parley?a=1&b=$HOME',
    PARLEY_UPLOADS_DIR: "/srv/anna's files",
  };
  folder.writeEnvironment(values);
  const file = join(path, 'environment');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const read = execFileSync(
    'sh',
    [
      '-c',
      'set -a; . "$1"; exec "$2" -p "JSON.stringify(process.env)"',
      'sh',
      file,
      process.execPath,
    ],
    { encoding: 'utf8', env: {} },
  );
  expect(JSON.parse(read)).toMatchObject(values);
  folder.release();
  expect(existsSync(file)).toBe(false);
});

test('the commands of the repository keep nothing in `.parley` that a first start refuses', async () => {
  const files = globSync(
    ['scripts/*.mjs', 'packages/*/src/**/*.ts', 'services/*/src/**/*.ts', 'tests/**/*.ts'],
    { cwd: repositoryFolder, exclude: ['**/node_modules'] },
  );
  const kept = files.flatMap((file) =>
    [
      ...readFileSync(join(repositoryFolder, file), 'utf8').matchAll(
        /'\.parley', ['`]([\w-]+)(?:['`]|\$)/g,
      ),
    ].map(([, name = '']) => name),
  );
  expect(kept).toContain('tools');
  expect(kept.filter((name) => !foreignNames.has(name))).toEqual([]);
  for (const name of kept) mkdirSync(join(path, name), { recursive: true });
  (await DataFolder.open(path, 9991, () => undefined)).release();
});

test('a folder with files of somebody else is refused', async () => {
  writeFileSync(join(path, 'thesis.txt'), '');
  await expect(DataFolder.open(path, 9991, () => undefined)).rejects.toThrow('not made by Parley');
});
