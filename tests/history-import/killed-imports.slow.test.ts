/** An import that is killed, whatever it was doing, leaves nothing, and can be started again. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { waitUntil } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import type { Running } from '../support/run-parley.ts';
import { holdAt } from './held-import.ts';
import { useImportTarget } from './imported-organization.ts';
import { writeMattermost } from './mattermost-fixture.ts';
import { writeZulip } from './zulip-fixture.ts';

const target = useImportTarget();

beforeAll(async () => {
  await mkdir(spool());
  await writeZulip(archives.zulip());
  await writeMattermost(archives.mattermost());
});

/** Where a killed process leaves what it has unpacked. */
const spool = (): string => join(target.folder, 'spool');

const archives = {
  zulip: () => join(target.folder, 'bakery.tar.gz'),
  mattermost: () => join(target.folder, 'birch.zip'),
} as const;

const administrators = { zulip: 'ada@bakery.example', mattermost: 'ana@birch.example' } as const;

type Source = keyof typeof archives;

const startImport = (source: Source) => (): Running =>
  target.startImport(source, archives[source](), administrators[source], ['--spool', spool()]);

/** The next import, whatever becomes of it, removes what a killed one left. */
async function expectNothingIsLeft(source: Source): Promise<void> {
  expect((await target.left()).rows).toBe(0);
  const refused = await target.importFrom(source, archives[source](), 'nobody@else.example', [
    '--spool',
    spool(),
  ]);
  expect(refused.error).toMatch(/Nobody in the archive has the address/);
  expect(await target.left()).toEqual({ rows: 0, files: [] });
  expect(await readdir(spool())).toEqual([]);
}

/** What is written, in this order: people, channels, files, messages, reactions, and what puts all of it in force. */
const tables = ['users', 'streams', 'uploads', 'messages', 'reactions', 'log_epochs'];
const places = (['zulip', 'mattermost'] as const).flatMap((source) =>
  tables.map((table) => ({ source, table })),
);

test.each(places)('$source, when it writes $table', async ({ source, table }) => {
  const { running, release } = await holdAt(target.pool, table, startImport(source));
  running.process.kill('SIGKILL');
  await running.ended;
  await release();
  await expectNothingIsLeft(source);
});

test('when it has read the archive, and writes nothing yet', async () => {
  const holder = await target.pool.connect();
  await holder.query('SET idle_in_transaction_session_timeout = 0');
  await holder.query('BEGIN; LOCK TABLE realm IN SHARE MODE');
  const running = startImport('zulip')();
  await waitUntil('the import waits for the organization', async () => {
    const { rows } = await target.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_locks WHERE relation = 'realm'::regclass AND NOT granted`,
    );
    return rows[0]?.count === 1 ? true : undefined;
  });
  running.process.kill('SIGKILL');
  await running.ended;
  holder.release(true);
  await expectNothingIsLeft('zulip');
});

test('an import that is told to stop removes what it has made by itself', async () => {
  const { running, release } = await holdAt(target.pool, 'messages', startImport('zulip'));
  running.process.kill('SIGTERM');
  await release();
  const { code } = await running.ended;
  expect(code).not.toBe(0);
  expect(await target.left()).toEqual({ rows: 0, files: [] });
  expect(await readdir(spool())).toEqual([]);
});

test('after all of these, the import comes to its end', async () => {
  // The import of another installation must not be touched, nor the folder of anybody else.
  const foreign = 'parley-import-0000000000000000';
  await mkdir(join(spool(), foreign));
  const ended = await target.importFrom('zulip', archives.zulip(), administrators.zulip, [
    '--spool',
    spool(),
  ]);
  expect([ended.code, ended.error]).toEqual([0, '']);
  expect(await readdir(spool())).toEqual([foreign]);
  const { rows } = await target.pool.query<{ count: number }>(
    'SELECT (SELECT count(*) FROM uploads) + 2 * (SELECT count(*) FROM avatars) + (SELECT count(*) FROM realm_emoji) AS count',
  );
  expect((await target.left()).files).toHaveLength(rows[0]?.count ?? -1);
});
