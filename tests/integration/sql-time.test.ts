/** The time that SQL asks for: a setting of the session moves it, and all other sessions have that of the machine (decision 0059). */
import type { Client, Pool } from '@parley/database';
import { transaction } from '@parley/database';
import { connectMaker } from '@parley/demo';
import type { ConnectedMaker } from '@parley/demo';
import { deriveKeySecrets, makeSessionToken } from '@parley/auth/secrets';
import {
  addAlertWords,
  findAccountsBySessions,
  insertSession,
  listAlertWords,
  listMutedTopics,
  muteTopic,
  setApiKey,
} from '@parley/store';
import { createRedisPrefix, createTestDatabase, getTestStores } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const keySecret = 'k'.repeat(40);
const secrets = deriveKeySecrets(keySecret);
const longAgo = '2001-02-03T04:05:06.789Z';

let database: TestDatabase;
let connected: ConnectedMaker;
let pool: Pool;
let userId: number;
let streamId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  connected = connectMaker({
    databaseUrl: database.url,
    redisUrl: getTestStores().redisUrl,
    redisPrefix: createRedisPrefix(),
    keySecret,
  });
  const { maker } = connected;
  pool = maker.pool;
  await maker.makeRealm({ name: 'Example', stringId: 'example' });
  const [made] = await maker.makeAccounts([{ email: 'ann@example.com', fullName: 'Ann' }]);
  userId = made?.user.id ?? 0;
  const [stream] = await maker.makeStreams([{ name: 'open' }]);
  streamId = stream?.id ?? 0;
});
afterAll(async () => {
  await connected.close();
  await database.drop();
});

/** Runs work on a session that has this time, whatever it had before. */
async function at(
  time: string,
  work: (client: Client, move: (to: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  const move = async (to: string): Promise<void> => {
    await client.query("SELECT set_config('parley.now', $1, false)", [to]);
  };
  try {
    await move(time);
    await work(client, move);
  } finally {
    // The session has another time than the pool's.
    client.release(true);
  }
}

async function read(client: Client, text: string, values: unknown[] = []): Promise<unknown[]> {
  const { rows } = await client.query<Record<string, unknown>>(text, values);
  return rows.flatMap((row) => Object.values(row));
}

test('a session without the setting has the time at which each statement arrived', async () => {
  const client = await pool.connect();
  try {
    const isMachines = `SELECT parley_now() = statement_timestamp() AND parley_now() BETWEEN transaction_timestamp() AND clock_timestamp()`;
    await client.query('RESET parley.now');
    expect(await read(client, isMachines)).toEqual([true]);
    await client.query('BEGIN');
    await client.query(`SET LOCAL parley.now = '${longAgo}'`);
    expect(await read(client, 'SELECT parley_now()')).toEqual([new Date(longAgo)]);
    await client.query('ROLLBACK');
    expect(await read(client, isMachines)).toEqual([true]);
    await client.query('BEGIN');
    const [first] = await read(client, 'SELECT parley_now()::text');
    expect(await read(client, 'SELECT parley_now() > $1::timestamptz', [first])).toEqual([true]);
    await client.query('COMMIT');
  } finally {
    client.release(true);
  }
});

test('the setting moves what defaults write, under any search path', () =>
  at(longAgo, async (client) => {
    await client.query('SET search_path = pg_temp');
    expect(
      await read(
        client,
        `INSERT INTO public.uploads (path_id, owner_id, file_name, content_type, size_bytes)
         VALUES ('1/a', ${userId}, 'a', 'text/plain', 1) RETURNING created_at`,
      ),
    ).toEqual([new Date(longAgo)]);
    expect(
      await read(client, 'INSERT INTO public.log_epochs VALUES (-1, 0, 0) RETURNING opened_at'),
    ).toEqual([new Date(longAgo)]);
  }));

test('the setting moves statements: a session ends exactly when it was idle for as long as it may be', () =>
  at('2031-01-01T00:00:00Z', async (client, move) => {
    const token = makeSessionToken();
    await insertSession(client, { userId, token, device: '', by: undefined }, 60);
    const isKnown = async (): Promise<boolean> =>
      (await findAccountsBySessions(client, [token], 60)).has(token);
    await move('2031-01-01T00:00:59.999Z');
    expect(await isKnown()).toBe(true);
    await move('2031-01-01T00:01:00Z');
    expect(await isKnown()).toBe(false);
  }));

test('the setting moves what a send writes', () =>
  at(longAgo, async (client) => {
    const item = {
      ordinal: 0,
      send_key: 'key',
      content_hash: '01',
      sender_id: userId,
      conversation_id: 1,
      recipient_id: 1,
      topic: '',
      content: 'hello',
      rendered_content: '<p>hello</p>',
      client: 'test',
      sent_at_secs: 0,
      is_me_message: false,
      has_link: false,
      has_image: false,
      has_attachment: false,
      read_by_sender: false,
      mentions_wildcard: false,
      search_words: 'hello',
      audience: 0,
      payload: '{"v":1,"kind":"tick"}',
    };
    const items = JSON.stringify([item]);
    expect(await read(client, 'SELECT outcome FROM send_messages($1::json)', [items])).toEqual([
      'sent',
    ]);
    const times = `SELECT k.sent_at, e.appended_at FROM send_keys k JOIN log_entries e USING (message_id) WHERE k.send_key = 'key'`;
    expect(await read(client, times)).toEqual([new Date(longAgo), new Date(longAgo)]);
    const tick = `SELECT count(*) FROM log_tick('10 s', 0, '{"v":1,"kind":"tick"}')`;
    expect(await read(client, tick)).toEqual([0]);
  }));

test('where time stands, what one person adds keeps its order', () =>
  at(longAgo, async (client) => {
    await addAlertWords(client, userId, ['tide', 'boat']);
    await addAlertWords(client, userId, ['anchor', 'boat', 'abaft']);
    expect(await listAlertWords(client, userId)).toEqual(['tide', 'boat', 'anchor', 'abaft']);
    for (const topic of ['tide', 'boat', 'anchor'])
      await muteTopic(client, userId, streamId, topic);
    expect(await listMutedTopics(client, userId)).toEqual([
      ['open', 'tide'],
      ['open', 'boat'],
      ['open', 'anchor'],
    ]);
  }));

test('where time stands, and where it goes back, a new key is another one, so that sessions end with the old one', () =>
  at(longAgo, async (client, move) => {
    const times: unknown[] = [];
    for (const time of [longAgo, longAgo, '2000-01-01T00:00:00Z']) {
      await move(time);
      const token = makeSessionToken();
      await insertSession(client, { userId, token, device: '', by: undefined }, 60);
      await setApiKey(client, secrets, userId);
      expect((await findAccountsBySessions(client, [token], 60)).has(token)).toBe(false);
      times.push(
        ...(await read(client, 'SELECT created_at::text FROM api_keys WHERE user_id = $1', [
          userId,
        ])),
      );
    }
    expect(new Set(times).size).toBe(times.length);
  }));

test.each([
  'deferred_messages',
  'files_to_remove',
  'mails WHERE failed_at IS NULL AND',
  'messages_to_mail',
  'push_subscriptions',
  'side_effects',
])('it is expanded into statements, and the index finds what is due of %s', (rows) =>
  transaction(pool, async (client) => {
    // As in plans that a connection keeps. Tables are empty here, where a scan of all rows would cost nothing.
    await client.query('SET LOCAL plan_cache_mode = force_generic_plan');
    await client.query('SET LOCAL enable_seqscan = off');
    const planOf = async (time: string): Promise<string> => {
      await client.query(
        `PREPARE due AS SELECT * FROM ${rows.includes('WHERE') ? rows : `${rows} WHERE`} due_at <= ${time}`,
      );
      const lines = await read(client, 'EXPLAIN (COSTS off) EXECUTE due');
      await client.query('DEALLOCATE due');
      return lines.join('\n');
    };
    const plan = await planOf('now()');
    expect(plan).toMatch(/Index Cond: \(due_at <= now\(\)\)/);
    const expanded = /COALESCE\([^\n]*?, statement_timestamp\(\)\)/g;
    expect((await planOf('parley_now()')).replaceAll(expanded, 'now()')).toBe(plan);
  }),
);
