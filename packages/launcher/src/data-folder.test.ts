import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { DataFolder } from './data-folder.ts';

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
