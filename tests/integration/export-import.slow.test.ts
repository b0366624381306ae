import { randomBytes } from 'node:crypto';
import {
  appendFile,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import type { Pool } from '@parley/database';
import {
  createRedisPrefix,
  createTestDatabase,
  getTestStores,
  openTestPool,
  startCluster,
  waitUntil,
} from '@parley/test-kit';
import type { Cluster, ClusterSettings, TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { expectSameAnswers } from '../support/same-answers.ts';
import { environmentOf, parley, runParley, startParley } from '../support/run-parley.ts';
import { makeWholeOrganization, password } from '../support/whole-organization.ts';
import type { WholeOrganization } from '../support/whole-organization.ts';

/** The tests follow one export, from its creation to two installations with the same answers, so their order matters. */

const publicUrls = { source: 'http://127.0.0.1:9991', target: 'https://chat.example' } as const;

let folder: string;
let passphraseFile: string;
let source: Cluster;
let target: Cluster | undefined;
let whole: WholeOrganization;
const undo = new AsyncDisposableStack();
let settings: ClusterSettings;
let database: TestDatabase;
let pool: Pool;
let exported: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-transfer-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  passphraseFile = join(folder, 'passphrase');
  exported = join(folder, 'export');
  await writeFile(passphraseFile, 'four boats upon a lee shore\n');
  source = undo.use(await startCluster({ environment: { PARLEY_PUBLIC_URL: publicUrls.source } }));
  whole = await makeWholeOrganization(source);
  undo.defer(() => whole.close());
  database = undo.use(await createTestDatabase());
  pool = undo.adopt(openPool(database.url), (opened) => opened.end());
  settings = {
    clock: systemClock,
    databaseUrl: database.url,
    redisUrl: getTestStores().redisUrl,
    redisPrefix: createRedisPrefix(),
    keySecret: randomBytes(24).toString('hex'),
    internalSecret: randomBytes(24).toString('hex'),
    uploadsDir: join(folder, 'uploads'),
  };
});

afterAll(() => undo.disposeAsync());

function openPool(databaseUrl: string): Pool {
  return openTestPool(databaseUrl, 2);
}

const importWords = (from = exported): readonly string[] => [
  'import',
  '--from',
  from,
  '--passphrase-file',
  passphraseFile,
];

async function countRows(table: string, of = pool): Promise<number> {
  const { rows } = await of.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
  return rows[0]?.count ?? 0;
}

async function listFiles(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Expects only the rows that the migrations created. */
async function expectEmpty(): Promise<void> {
  for (const table of ['realm', 'users', 'messages', 'changes', 'uploads', 'api_keys'])
    expect([table, await countRows(table)]).toEqual([table, 0]);
}

async function expectRefused(from: string, text: RegExp): Promise<void> {
  const { code, error } = await runParley(environmentOf(settings), importWords(from));
  expect(error).toMatch(text);
  expect(code).toBe(1);
  await expectEmpty();
}

/** Whether the services have written all data that they derive from messages, so that it no longer changes. */
async function hasNotedAllMessages(of: Pool): Promise<boolean> {
  const { rows } = await of.query<{ done: boolean }>(
    'SELECT message_id >= (SELECT max(id) FROM messages) AS done FROM conversation_newest_upto',
  );
  return rows[0]?.done === true;
}

test('an organization is exported while its services run', async () => {
  const of = openPool(source.settings.databaseUrl);
  await waitUntil('the newest messages are noted', () => hasNotedAllMessages(of));
  const made = await parley(environmentOf(source.settings), [
    'export',
    '--to',
    exported,
    '--passphrase-file',
    passphraseFile,
  ]);
  expect(made).toMatchObject({ organization: { name: 'Harbour' }, missing_files: 0 });
  const { rows } = made as { rows: Record<string, number> };
  for (const [table, count] of Object.entries(rows))
    if (table !== 'side_effects')
      expect([table, count]).toEqual([table, await countRows(table, of)]);
  await of.end();
  // An empty table would make the comparisons below prove nothing.
  const empty = Object.keys(rows).filter((table) => rows[table] === 0);
  expect(empty).toEqual(['messages_to_mail', 'mentions_added', 'side_effects', 'search_backlog']);
});

test('only the operator can read it, and it contains no secret in plain text', async () => {
  expect((await stat(exported)).mode & 0o77).toBe(0);
  const secrets = Object.values(whole.accounts).map(({ apiKey }) => apiKey);
  for (const path of await readdir(join(exported, 'tables'))) {
    const file = join(exported, 'tables', path);
    expect((await stat(file)).mode & 0o77).toBe(0);
    const text = await readFile(file, 'utf8');
    for (const secret of [...secrets, '$argon2id$']) expect(text).not.toContain(secret);
  }
});

test('it is written to its own folder, and requires a passphrase', async () => {
  const env = environmentOf(source.settings);
  const again = ['export', '--to', exported, '--passphrase-file', passphraseFile];
  expect((await runParley(env, again)).error).toMatch(/is not empty/);
  const short = ['export', '--to', join(folder, 'other'), '--passphrase-file', '-'];
  expect((await runParley(env, short, 'tide')).error).toMatch(/needs 12 characters/);
  expect((await runParley(env, short.slice(0, 3))).code).toBe(2);
});

describe('an incomplete export is refused, and nothing is written', () => {
  async function copy(): Promise<string> {
    const { cp } = await import('node:fs/promises');
    const path = await mkdtemp(join(folder, 'copy-'));
    await cp(exported, path, { recursive: true });
    return path;
  }
  const messages = ['tables', 'messages.jsonl'] as const;

  test('a truncated table', async () => {
    const path = await copy();
    const file = join(path, ...messages);
    await truncate(file, (await stat(file)).size - 20);
    await expectRefused(path, /messages\.jsonl has \d+ bytes and not \d+: .* cut off or altered/);
  });

  test('an altered table', async () => {
    const path = await copy();
    const file = join(path, ...messages);
    await writeFile(file, (await readFile(file, 'utf8')).replace('Hello', 'Hallo'));
    await expectRefused(path, /messages\.jsonl was altered/);
  });

  test('a missing table, or a missing file', async () => {
    const path = await copy();
    await rm(join(path, 'tables', 'reactions.jsonl'));
    await expectRefused(path, /reactions\.jsonl cannot be read/);
    const other = await copy();
    await rm(join(other, 'files', 'avatars'), { recursive: true });
    await expectRefused(other, /avatars\/.* cannot be read/);
  });

  test('an altered file', async () => {
    const path = await copy();
    await appendFile(join(path, 'files', 'emoji', '1'), 'x');
    await expectRefused(path, /emoji\/1 has \d+ bytes/);
  });

  test('an altered manifest', async () => {
    const path = await copy();
    const file = join(path, 'manifest.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"Harbour"', '"Hamburg"'));
    await expectRefused(path, /The manifest of the export was altered/);
  });

  test('no manifest', async () => {
    const path = await copy();
    await rm(join(path, 'manifest.json'));
    await expectRefused(path, /cut off before its end/);
  });

  test('a newer format, or one from before the first release', async () => {
    const path = await copy();
    const file = join(path, 'manifest.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"format_version": 2', '"format_version": 3'));
    await expectRefused(path, /format version 3, this release reads 2/);
    await writeFile(file, text.replace('"format_version": 2', '"format_version": 1'));
    await expectRefused(path, /format version 1: it was made before the first release/);
  });

  test('another passphrase', async () => {
    const words = ['import', '--from', exported, '--passphrase-file', '-'];
    const { code, error } = await runParley(environmentOf(settings), words, 'not these words');
    expect(error).toMatch(/The passphrase is not the one of this export/);
    expect(code).toBe(1);
    await expectEmpty();
  });
});

test('a database from before the first release accepts no import', async () => {
  await using before = await createTestDatabase();
  const of = openPool(before.url);
  await of.query(`UPDATE knex_migrations SET name = '20261101000000-people-and-streams'`);
  const env = environmentOf({ ...settings, databaseUrl: before.url });
  const { code, error } = await runParley(env, importWords());
  expect(error).toMatch(/first migration is 20261101000000-people-and-streams .* left as it is/);
  expect(code).toBe(1);
  expect(await countRows('users', of)).toBe(0);
  await of.end();
});

test('a killed import leaves nothing, and can be started again', async () => {
  const lock = 4711;
  await pool.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_lock(${lock}); RETURN NEW; END'`);
  await pool.query(
    'CREATE TRIGGER hold BEFORE INSERT ON read_users FOR EACH STATEMENT EXECUTE FUNCTION hold()',
  );
  const holder = await pool.connect();
  await holder.query(`SELECT pg_advisory_lock(${lock})`);
  const waiting = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley command'`,
    );
    return rows[0]?.count ?? 0;
  };
  const running = startParley(environmentOf(settings), importWords());
  await waitUntil('the import has come to the last tables', async () => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lock} AND NOT granted`,
    );
    return rows[0]?.count === 1 ? true : undefined;
  });
  running.process.kill('SIGKILL');
  expect(await running.ended).toMatchObject({ code: null });
  holder.release(true);
  await waitUntil('Postgres noticed', async () => ((await waiting()) === 0 ? true : undefined));
  await expectEmpty();
  expect(await listFiles(settings.uploadsDir)).not.toEqual([]);
  expect(await countRows('files_to_remove')).toBeGreaterThan(0);
  await pool.query('DROP TRIGGER hold ON read_users');
});

test('a failed import removes its files', async () => {
  await pool.query(`ALTER TABLE read_exceptions ADD CONSTRAINT never CHECK (false)`);
  const { code, error } = await runParley(environmentOf(settings), importWords());
  expect(error).toMatch(/never/);
  expect(code).toBe(1);
  await pool.query(`ALTER TABLE read_exceptions DROP CONSTRAINT never`);
  await expectEmpty();
  expect(await listFiles(settings.uploadsDir)).toEqual([]);
  expect(await countRows('files_to_remove')).toBe(0);
});

test('it is imported into an empty installation only', async () => {
  const env = environmentOf(settings);
  const done = await parley(env, importWords());
  expect(done).toMatchObject({ organization: { name: 'Harbour' } });
  expect(await countRows('files_to_remove')).toBe(0);
  const again = await runParley(env, importWords());
  expect(again.error).toMatch(
    /This installation has an organization, Harbour: .* needs an empty one/,
  );
  expect(again.code).toBe(1);
});

test("a database without a schema is first brought to the export's schema", async () => {
  const name = `parley_bare_${randomBytes(5).toString('hex')}`;
  const administrator = openPool(getTestStores().databaseUrl);
  await administrator.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  const bare = { ...settings, databaseUrl: url.href, uploadsDir: join(folder, 'bare') };
  try {
    await parley(environmentOf(bare), importWords());
    const of = openPool(url.href);
    expect(await countRows('messages', of)).toBe(await countRows('messages'));
    await of.end();
    expect(await parley(environmentOf(bare), ['check'])).toMatchObject({ ok: true });
  } finally {
    await administrator.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await administrator.end();
  }
});

test('both installations answer all requests equally', async () => {
  target = await startCluster({
    databaseUrl: settings.databaseUrl,
    redisPrefix: settings.redisPrefix,
    environment: {
      PARLEY_KEY_SECRET: settings.keySecret,
      PARLEY_UPLOADS_DIR: settings.uploadsDir,
      PARLEY_PUBLIC_URL: publicUrls.target,
    },
  });
  undo.use(target);
  const compared = await expectSameAnswers({ source, target, publicUrls, whole });
  expect(compared).toBeGreaterThan(1_000);
});

test('what an identity provider calls people and groups is kept', async () => {
  const { rows } = await pool.query<{ name: string }>({
    text: `SELECT external_id AS name FROM users WHERE external_id IS NOT NULL
      UNION ALL SELECT external_id FROM user_groups ORDER BY name`,
  });
  expect(rows.map(({ name }) => name)).toEqual(['provider-bob', 'provider-crew']);
});

test('passwords and keys still work', async () => {
  if (target === undefined) throw new Error('the target was not started');
  const answers = await Promise.all(
    [source, target].map(async ({ url }) => {
      const answer = await fetch(new URL('/api/v1/fetch_api_key', url), {
        method: 'POST',
        body: new URLSearchParams({ username: whole.accounts['bob']?.email ?? '', password }),
      });
      return (await answer.json()) as unknown;
    }),
  );
  expect(answers[0]).toMatchObject({ api_key: whole.accounts['bob']?.apiKey });
  expect(answers[1]).toEqual(answers[0]);
});

test('sending and events continue, with unused ids', async () => {
  if (target === undefined) throw new Error('the target was not started');
  const { clientOf } = await import('../support/same-answers.ts');
  const [ann, bob, gil] = ['ann', 'bob', 'gil'].map((name) => {
    const account = whole.accounts[name];
    if (account === undefined || target === undefined) throw new Error(`there is no ${name}`);
    return clientOf(target, account);
  });
  if (ann === undefined || bob === undefined || gil === undefined) throw new Error('nobody');
  const newest = await countRows('(SELECT 1 FROM messages) m');
  const { queue_id, last_event_id } = await bob.post('register');
  const sent = await ann.sendToStream('general', 'hello', 'Here we are @**Bob Rey**');
  const { rows } = await pool.query<{ max: number }>('SELECT max(id) FROM messages');
  expect(sent).toBe(rows[0]?.max);
  expect(sent).toBeGreaterThan(10_000_000);
  expect(newest).toBeGreaterThan(20);
  const events = await waitUntil('the message comes', async () => {
    const polled = await bob.get('events', { queue_id, last_event_id, dont_block: true });
    const all = polled['events'] as { type: string; message?: object }[];
    const messages = all.filter(({ type }) => type === 'message');
    return messages.length > 0 ? messages : undefined;
  });
  expect(events).toMatchObject([{ message: { id: sent }, flags: ['mentioned'] }]);
  // A guest who left the stream of news gets no events about it, and cannot read it.
  const news = await ann.sendToStream('news', 'week', 'A new week');
  expect((await gil.request('GET', `messages/${news}`)).status).toBe(400);
  // Every sequence continues above the imported values.
  await ann.post('users', {
    email: 'new@example.com',
    password: 'low water is at noon',
    full_name: 'New Person',
  });
  await ann.subscribe('a new stream');
  await ann.post(`messages/${sent}/reactions`, { emoji_name: 'tada' });
  await ann.patch(`messages/${sent}`, { content: 'Edited here', topic: 'hello' });
  await ann.post('user_groups/create', { name: 'new', description: '', members: [] });
  await ann.post('realm/filters', {
    pattern: 'N(?P<id>[0-9]+)',
    url_format_string: 'https://new.example/%(id)s',
  });
  await bob.sendPrivately(['gil.ito@example.com', 'cat.moe@example.com'], 'A new group');
});

test('a deactivated person stays deactivated, and returns with all data', async () => {
  if (target === undefined) throw new Error('the target was not started');
  const { clientOf } = await import('../support/same-answers.ts');
  const { ann, eve } = whole.accounts;
  if (ann === undefined || eve === undefined) throw new Error('nobody');
  const client = clientOf(target, eve);
  expect((await client.request('GET', 'users/me')).status).toBe(401);
  await clientOf(target, ann).post(`users/${eve.id}/reactivate`);
  await waitUntil('Eve is let in', async () => {
    const { status } = await client.request('GET', 'users/me');
    return status === 200 ? true : undefined;
  });
  const { messages } = await client.get('messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'sender', operand: eve.email }],
  });
  expect(messages).toHaveLength(2);
});
