import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import {
  StoreFault,
  findFreePort,
  isPortFree,
  makeTemporaryFolder,
  removePostgresData,
  startPostgres,
  startRedis,
} from '../src/local-stores/index.ts';

async function makeFolder(): Promise<string> {
  const folder = await makeTemporaryFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const log = (): void => undefined;
// Making a database writes forty megabytes, so four starts on a busy machine take long.
const storeTimeoutMs = 120_000;

test(
  'Postgres uses UTF-8 in the builtin locale, keeps its data and refuses a second start',
  async () => {
    const dataDir = join(await makeFolder(), 'postgres');
    onTestFinished(() => removePostgresData(dataDir));
    const lines: string[] = [];
    const first = await startPostgres({ dataDir, log: (line) => lines.push(line) });
    try {
      await expect(query(first.url, `SELECT 1 / 0 AS "a long statement"`)).rejects.toThrow();
      expect(lines.join('\n')).toContain('division by zero');
      expect(lines.join('\n')).not.toContain('a long statement');
      expect(
        await query(
          first.url,
          `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale,
                current_setting('fsync') AS fsync, current_setting('listen_addresses') AS addresses
           FROM pg_database WHERE datname = current_database()`,
        ),
      ).toEqual([
        { encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', fsync: 'on', addresses: '127.0.0.1' },
      ]);
      await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS value');
      await expect(startPostgres({ dataDir, log })).rejects.toThrow(/Another Postgres runs/);
      expect((await stat(join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    } finally {
      await first.stop();
    }
    expect(await first.exited).toBe('ended with code 0');
    const second = await startPostgres({ dataDir, log });
    try {
      expect(await query(second.url, 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
    } finally {
      await second.stop();
    }
  },
  storeTimeoutMs,
);

test('Redis requires its password, and an occupied port is reported', async () => {
  const dir = await makeFolder();
  const redis = await startRedis({ dir, log });
  try {
    expect(new URL(redis.url).password).toMatch(/^[0-9a-f]{64}$/);
    expect(await isPortFree(redis.port)).toBe(false);
    await expect(startRedis({ dir, port: redis.port, log })).rejects.toThrow(StoreFault);
  } finally {
    await redis.stop();
  }
});

test('a free port is outside the range of outgoing connections', async () => {
  const port = await findFreePort();
  expect(port).toBeLessThan(32_768);
  expect(await isPortFree(port)).toBe(true);
});
