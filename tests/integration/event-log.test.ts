/** The log and its followers on real stores, which all guarantees of the system depend on. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';

import { MovedClock, WhollyMovedClock, systemClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import type { ChangeEntry, PositionedEntry, SendItem } from '@parley/event-log';
import {
  EventLog,
  LogFollower,
  audienceKey,
  ensurePartitionsFor,
  openEpochIfNeeded,
  readEntriesAfter,
  readEntriesForAudiences,
  readEpochs,
  readHead,
  trimLog,
} from '@parley/event-log';
import { createPool } from '@parley/database';
import type { Pool } from '@parley/database';
import { takeSideEffects } from '@parley/outgoing/jobs';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests, connectForSubscriptions } from '@parley/cluster/redis';
import {
  FaultProxy,
  createTestDatabase,
  getTestStores,
  openTestPool,
  waitUntil,
} from '@parley/test-kit';
import type { HeldBytes, TestDatabase } from '@parley/test-kit';
import { Secret } from '@parley/config';
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });
const keyPrefix = `test-${randomBytes(4).toString('hex')}`;
const redisConfig = {
  url: new Secret(getTestStores().redisUrl),
  prefix: keyPrefix,
  commandTimeoutMs: 2_000,
};
const redis = connectForRequests(redisConfig, log, systemClock);
const subscriber = connectForSubscriptions(redisConfig, log, systemClock);

let database: TestDatabase;
let pool: Pool;
let eventLog: EventLog;
/** The time of the followers. It stands, so that they hear of entries by hints alone. */
let clock: MovedClock;
const followers: LogFollower[] = [];

beforeEach(async () => {
  clock = new MovedClock();
  database = await createTestDatabase();
  pool = openTestPool(database.url, 12);
  eventLog = new EventLog({ clock: systemClock, pool, redis, keyPrefix, log });
});

afterEach(async () => {
  for (const follower of followers.splice(0)) await follower.stop();
  await pool.end();
  await database.drop();
});

afterAll(() => {
  redis.disconnect();
  subscriber.disconnect();
});

function change(mark: number, events = 1): ChangeEntry {
  return {
    v: 1,
    kind: 'change',
    effects: [],
    events: Array.from({ length: events }, () => ({
      form: 'same' as const,
      audience: { to: 'everyone' as const },
      event: { type: 'pointer' as const, pointer: mark },
    })),
  };
}

/** A log of its own, on one connection. */
function openWriter(databaseUrl: string): { one: Pool; writer: EventLog } {
  const one = openTestPool(databaseUrl, 1);
  onTestFinished(() => one.end());
  return {
    one,
    writer: new EventLog({ clock: systemClock, pool: one, redis, keyPrefix, log }),
  };
}

async function append(mark: number, events = 1, writer = eventLog): Promise<void> {
  await writer.transaction(async () => ({
    result: undefined,
    append: { entries: [{ entry: change(mark, events), audience: audienceKey.everyone }] },
  }));
}

async function follow(
  onEntries: (entries: readonly PositionedEntry[]) => void,
  options: {
    readonly clock?: Clock;
    readonly prefix?: string;
    readonly onReset?: () => void;
  } = {},
): Promise<LogFollower> {
  const follower = await LogFollower.start({
    pool,
    subscriber,
    keyPrefix: options.prefix ?? keyPrefix,
    log,
    onEntries,
    onReset: options.onReset ?? (() => expect.unreachable('the log was not reset')),
    clock: options.clock ?? clock,
  });
  followers.push(follower);
  return follower;
}

function positionsOf(entries: readonly PositionedEntry[]): number[] {
  return entries.flatMap((entry) =>
    Array.from({ length: entry.length }, (_, offset) => entry.position + offset),
  );
}

function consecutive(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

test('positions are dense and in commit order under concurrent writes', async () => {
  const seen: PositionedEntry[] = [];
  const follower = await follow((entries) => seen.push(...entries));
  const start = follower.cursor;
  await Promise.all(Array.from({ length: 60 }, async (_, mark) => append(mark, 1 + (mark % 3))));
  const { endPosition } = await readHead(pool);
  expect(endPosition - start).toBe(120);
  await follower.waitFor(endPosition, 10_000);
  expect(positionsOf(seen)).toEqual(consecutive(start + 1, 120));
  const stored = await readEntriesAfter(pool, start, 1_000);
  expect(seen).toEqual(stored);
});

test.each(['while it starts', 'later'])(
  'a follower whose connection to Redis is lost %s hears hints on the next one',
  async (when) => {
    const loseConnection: (reconnects: boolean) => void = subscriber.disconnect.bind(subscriber);
    const seen: PositionedEntry[] = [];
    const starting = follow((entries) => seen.push(...entries));
    if (when === 'later') await starting;
    loseConnection(true);
    await once(subscriber, 'ready');
    await starting;
    for (const count of [1, 2]) {
      await append(count);
      await waitUntil('it is heard', () => seen.length === count);
    }
  },
);

test('several changes of one transaction have their own positions, in order', async () => {
  const seen: PositionedEntry[] = [];
  const follower = await follow((entries) => seen.push(...entries));
  const start = follower.cursor;
  const changeIds = await eventLog.transaction(async (client) => {
    const first = await eventLog.drawChangeId(client);
    const second = await eventLog.drawChangeId(client);
    const appendOf = (mark: number, changeId: number) => ({
      entries: [{ entry: change(mark, 2), audience: audienceKey.everyone }],
      changeId,
    });
    return { result: [first, second], append: [appendOf(1, first), appendOf(2, second)] };
  });
  await follower.waitFor(start + 4, 10_000);
  expect(seen).toEqual(await readEntriesAfter(pool, start, 10));
  const { rows } = await pool.query<{ position: number }>(
    'SELECT position FROM changes WHERE id = ANY ($1) ORDER BY id',
    [changeIds],
  );
  expect(rows.map(({ position }) => position)).toEqual([start + 1, start + 3]);
  expect(seen.map(({ position }) => position)).toEqual([start + 1, start + 3]);
});

test('entries are read back unchanged, however many an append has', async () => {
  const texts = [
    "'",
    "\\' \\\\",
    '"{"}',
    '$1 $e0$ $$',
    '\u0000\u0001\n',
    'ü \u{1f600} \ud800',
    'NULL',
    ',',
  ];
  const start = (await readHead(pool)).endPosition;
  for (let count = 1; count <= texts.length; count += 1) {
    await eventLog.transaction(async () => ({
      result: undefined,
      append: {
        entries: texts.slice(-count).map((text) => ({
          entry: {
            v: 1,
            kind: 'change',
            effects: [{ effect: 'queue-ended', queueId: text }],
            events: [],
          },
          audience: audienceKey.user(count),
        })),
      },
    }));
  }
  const read = (await readEntriesAfter(pool, start, 100)).map(({ payload, audience }) => {
    const { effects } = JSON.parse(payload) as ChangeEntry;
    return [effects, audience];
  });
  expect(read).toEqual(
    texts.flatMap((_, n) =>
      texts
        .slice(-n - 1)
        .map((text) => [[{ effect: 'queue-ended', queueId: text }], audienceKey.user(n + 1)]),
    ),
  );
});

test('an append and its commit are sent together, without waiting for an answer', async () => {
  await using proxy = await FaultProxy.start(database.url);
  const { writer } = openWriter(proxy.through(database.url));
  await append(1, 1, writer);
  const start = (await readHead(pool)).endPosition;
  let held: HeldBytes | undefined;
  const appended = writer.transaction(async (client) => {
    await writer.drawChangeId(client);
    held = proxy.holdBack('to-client');
    return {
      result: undefined,
      append: { entries: [{ entry: change(2), audience: audienceKey.everyone }] },
    };
  });
  await waitUntil('it is committed', async () => (await readHead(pool)).endPosition > start);
  // Nothing waits for a reply that never arrives.
  await append(3);
  held?.release();
  await appended;
});

test('a failed append rolls back its transaction, and its connection is reused', async () => {
  const { one, writer } = openWriter(database.url);
  const changeId = await writer.drawChangeId(one);
  const again = async (): Promise<void> =>
    writer.transaction(async (client) => {
      await client.query('CREATE TABLE IF NOT EXISTS undone (n integer)');
      const entries = [{ entry: change(1), audience: audienceKey.everyone }];
      return {
        result: undefined,
        append: [
          { entries, changeId },
          { entries, changeId },
        ],
      };
    });
  const start = await readHead(pool);
  await expect(again()).rejects.toMatchObject({ code: '23505' });
  expect(await readHead(pool)).toEqual(start);
  const { rows } = await one.query("SELECT to_regclass('undone') AS name");
  expect(rows).toEqual([{ name: null }]);
  await append(2, 1, writer);
});

test('work that fails leaves nothing of what it wrote, and its connection is reused', async () => {
  const { one, writer } = openWriter(database.url);
  const failing = writer.transaction(async (client) => {
    await client.query('CREATE TABLE undone (n integer)');
    throw new Error('it is refused');
  });
  await expect(failing).rejects.toThrow('it is refused');
  await append(1, 1, writer);
  const { rows } = await one.query("SELECT to_regclass('undone') AS name");
  expect(rows).toEqual([{ name: null }]);
});

test('an open transaction delays no other, and its late commit is not missed', async () => {
  const seen: PositionedEntry[] = [];
  const follower = await follow((entries) => seen.push(...entries));
  const start = follower.cursor;
  const gate = Promise.withResolvers<void>();
  const slow = eventLog.transaction(async () => {
    await gate.promise;
    return { result: undefined, append: { entries: [{ entry: change(99), audience: 0 }] } };
  });
  for (let mark = 0; mark < 20; mark += 1) await append(mark);
  gate.resolve();
  await slow;
  await follower.waitFor(start + 21, 10_000);
  expect(positionsOf(seen)).toEqual(consecutive(start + 1, 21));
  expect(JSON.parse(seen.at(-1)?.payload ?? '{}')).toMatchObject({
    events: [{ event: { pointer: 99 } }],
  });
});

test('the entries of each commit are published with their positions', async () => {
  const start = (await readHead(pool)).endPosition;
  const channel = `${keyPrefix}:log`;
  const heard: string[] = [];
  const onMessage = (_channel: string, text: string): void => void heard.push(text);
  await subscriber.subscribe(channel);
  subscriber.on('message', onMessage);
  try {
    await append(1);
    await append(2, 3);
    // It comes after what was published before it.
    await redis.publish(channel, 'the end');
    await waitUntil('all is heard', () => heard.includes('the end'));
  } finally {
    subscriber.off('message', onMessage);
  }
  const stored = await readEntriesAfter(pool, start, 10);
  expect(heard.slice(0, -1).map((text) => text.split('\n').slice(1))).toEqual(
    stored.map(({ position, length, messageId, audience, payload }) => [
      `${position} ${length} ${messageId} ${audience}`,
      payload,
    ]),
  );
  expect(stored).toHaveLength(2);
});

test('a follower has passed on everything up to a position that was waited for', async () => {
  const seen: PositionedEntry[] = [];
  const follower = await follow((entries) => seen.push(...entries));
  const start = follower.cursor;
  const reached = follower.waitFor(start + 2, 10_000);
  await append(1);
  await follower.waitFor(start + 1, 10_000);
  const second = append(2);
  await reached;
  expect(positionsOf(seen)).toEqual([start + 1, start + 2]);
  await second;
});

test('entries without hints are found by the head check', async () => {
  const seen: PositionedEntry[] = [];
  // Published under another prefix, so this follower gets none of them.
  const deaf = await follow((entries) => seen.push(...entries), {
    prefix: `${keyPrefix}-deaf`,
  });
  const start = deaf.cursor;
  for (let mark = 0; mark < 5; mark += 1) await append(mark);
  await clock.advance(399);
  expect(seen).toEqual([]);
  await clock.advance(1);
  await waitUntil('the head check finds entries without hints', () => seen.length === 5);
  expect(positionsOf(seen)).toEqual(consecutive(start + 1, 5));
});

test('hints that are reordered, repeated, partly lost or forged do no harm', async () => {
  const seen: PositionedEntry[] = [];
  const silent = new EventLog({
    clock: systemClock,
    pool,
    redis,
    keyPrefix: `${keyPrefix}-elsewhere`,
    log,
  });
  const follower = await follow((entries) => seen.push(...entries));
  const start = follower.cursor;
  for (let mark = 0; mark < 6; mark += 1) await append(mark, 2, silent);
  const [first, second, , fourth, , sixth] = await readEntriesAfter(pool, start, 10);
  const publish = async (
    epoch: number,
    ...entries: (PositionedEntry | undefined)[]
  ): Promise<void> => {
    const lines = entries.flatMap((entry) =>
      entry === undefined
        ? []
        : [`${entry.position} ${entry.length} ${entry.messageId} ${entry.audience}`, entry.payload],
    );
    await redis.publish(`${keyPrefix}:log`, [String(epoch), ...lines].join('\n'));
  };
  await redis.publish(`${keyPrefix}:log`, 'nonsense');
  await publish(7, sixth);
  await publish(1, sixth, second);
  await publish(1, first, first, fourth, sixth);
  await follower.waitFor(start + 12, 10_000);
  expect(positionsOf(seen)).toEqual(consecutive(start + 1, 12));
});

function itemOf(senderId: number, key: string, hash: string, participants: number[]): SendItem {
  return {
    send_key: key,
    content_hash: hash,
    sender_id: senderId,
    may_be_first: false,
    participant_ids: participants,
    conversation_id: 1,
    recipient_id: 1,
    topic: '',
    content: 'hello',
    rendered_content: '<p>hello</p>',
    client: 'test',
    sent_at_secs: 1_700_000_000,
    is_me_message: false,
    has_link: false,
    has_image: false,
    has_attachment: false,
    read_by_sender: false,
    mentions_wildcard: false,
    mentioned_ids: [],
    late_receipt_ids: [],
    search_words: 'hello',
    audience: 0,
    payload: '{"v":1,"kind":"tick"}',
  };
}

test('a batch of sends is checked item by item, and a key sends once', async () => {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, is_active)
     VALUES ('a', 'A', 'a', 'A', 'a', true), ('b', 'B', 'b', 'B', 'b', false) RETURNING id`,
  );
  const [active, inactive] = rows.map((row) => row.id);
  if (active === undefined || inactive === undefined) throw new Error('two users were made');
  const item = (key: string, hash: string, participants: number[]) =>
    itemOf(active, key, hash, participants);
  const [one, two, three] = await eventLog.sendMessages([
    item('k1', '01', [active]),
    item('k2', '02', [active, inactive]),
    item('k3', '03', [active]),
  ]);
  expect([one?.outcome, two?.outcome, three?.outcome]).toEqual(['sent', 'stale', 'sent']);
  expect(await eventLog.sendMessages([itemOf(inactive, 'k4', '04', [active])])).toMatchObject([
    { outcome: 'stale' },
  ]);
  expect(three?.messageId).toBe((one?.messageId ?? 0) + 1);
  const again = await eventLog.sendMessages([
    item('k1', '01', [active]),
    item('k3', 'ff', [active]),
  ]);
  expect(again).toEqual([
    { outcome: 'repeated', messageId: one?.messageId, position: undefined },
    { outcome: 'reused', messageId: three?.messageId, position: undefined },
  ]);
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async () => eventLog.sendMessages([item('same', '07', [active])])),
  );
  const sent = outcomes.flat().filter((outcome) => outcome.outcome === 'sent');
  expect(sent).toHaveLength(1);
  for (const outcome of outcomes.flat()) {
    expect(['sent', 'repeated', 'busy']).toContain(outcome.outcome);
    if (outcome.outcome === 'repeated') expect(outcome.messageId).toBe(sent[0]?.messageId);
  }
});

test('the words of a send of the release before, and those that a send leaves, are made later', async () => {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name) VALUES ('a', 'A', 'a', 'A', 'a') RETURNING id`,
  );
  const { search_words: _none, ...before } = itemOf(rows[0]?.id ?? 0, 'k1', '01', []);
  await pool.query({
    text: 'SELECT * FROM send_messages($1::json)',
    values: [JSON.stringify([{ ...before, search_text: 'client/server', ordinal: 0 }])],
  });
  await eventLog.sendMessages([
    itemOf(before.sender_id, 'k2', '02', []),
    { ...itemOf(before.sender_id, 'k3', '03', []), has_more_words: true },
  ]);
  const { rows: left } = await pool.query({
    text: `SELECT m.search @@ $1::tsquery AS by_parser FROM search_backlog b JOIN messages m ON m.id BETWEEN b.first_id AND b.last_id
      ORDER BY m.id`,
    values: [`'client/server'`],
  });
  expect(left).toEqual([{ by_parser: true }, { by_parser: false }]);
});

test('a message to a stream that has changed since it was checked is checked again', async () => {
  const { rows } = await pool.query<{ user: number; stream: number }>(
    `WITH u AS (INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name)
        VALUES ('a', 'A', 'a', 'A', 'a') RETURNING id),
      s AS (INSERT INTO streams (name, name_folded, email_token) VALUES ('s', 'S', 't') RETURNING id),
      m AS (INSERT INTO subscriptions (user_id, stream_id, is_active, color)
        SELECT u.id, s.id, true, '#000000' FROM u, s)
      SELECT u.id AS user, s.id AS stream FROM u, s`,
  );
  const [made] = rows;
  if (made === undefined) throw new Error('nothing was made');
  const { participant_ids: _none, ...item } = itemOf(made.user, '', '01', []);
  const outcomeAfter = async (change: string): Promise<string | undefined> => {
    await pool.query(change);
    const [sent] = await eventLog.sendMessages([
      {
        ...item,
        send_key: change,
        stream_id: made.stream,
        stream_version: 1,
        authority_id: made.user,
      },
    ]);
    return sent?.outcome;
  };
  expect(await outcomeAfter('SELECT 1')).toBe('sent');
  expect(await outcomeAfter('UPDATE streams SET version = 2')).toBe('stale');
  expect(await outcomeAfter('UPDATE streams SET version = 1, is_deactivated = true')).toBe('stale');
  expect(await outcomeAfter('UPDATE streams SET is_deactivated = false')).toBe('sent');
  expect(await outcomeAfter('UPDATE subscriptions SET is_active = false')).toBe('stale');
});

test('a send reads no keys of others on a connection that planned it while there were none', async () => {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO users (email, email_folded, full_name, full_name_folded, short_name, is_active)
     SELECT n, n, n, n, n, true FROM generate_series(1, 20) n RETURNING id`,
  );
  const sender = rows[0]?.id ?? 0;
  await pool.query('ANALYZE send_keys, users');
  const sending = createPool({
    databaseUrl: database.url,
    clock: systemClock,
    applicationName: 'test',
    connectionsMax: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    looksUpByKey: true,
    onError: () => undefined,
  });
  try {
    const client = await sending.connect();
    const send = (key: string): Promise<unknown> => {
      // A mention adds a row to those of every message.
      const items = [{ ...itemOf(sender, key, '01', [sender]), mentioned_ids: [sender] }];
      return client.query({
        name: 'send',
        text: 'SELECT * FROM send_messages($1::json)',
        values: [JSON.stringify(items.map((item, ordinal) => ({ ordinal, ...item })))],
      });
    };
    await send('first');
    await pool.query(
      `INSERT INTO send_keys (send_key, content_hash, message_id, sent_at)
       SELECT 'other ' || n, '', n, parley_now() FROM generate_series(1, 1000) n`,
    );
    await client.query('BEGIN');
    await send('second');
    const { rows: counts } = await client.query<{ read: number }>(
      `SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS read FROM pg_stat_xact_user_tables WHERE relname = 'send_keys'`,
    );
    await client.query('COMMIT');
    client.release();
    expect(counts[0]?.read).toBeLessThan(10);
  } finally {
    await sending.end();
  }
});

test('the log continues beyond its last partition', async () => {
  await pool.query(
    `INSERT INTO log_entries (position, length, message_id, audience, payload) VALUES (1999998, 1, 0, 0, '{}')`,
  );
  for (let mark = 0; mark < 4; mark += 1) await append(mark);
  expect((await readHead(pool)).endPosition).toBe(2_000_002);
  expect(await ensurePartitionsFor(pool, 2_000_002)).toBe(true);
});

test('concurrent writers without a partition, and long entries, find room', async () => {
  await pool.query(
    `INSERT INTO log_entries (position, length, message_id, audience, payload) VALUES (1999990, 1, 0, 0, '{}')`,
  );
  await Promise.all(
    Array.from({ length: 8 }, async () =>
      eventLog.transaction(async () => ({
        result: undefined,
        append: {
          entries: [
            { entry: change(1, 20), audience: 0 },
            { entry: change(2), audience: 0 },
          ],
        },
      })),
    ),
  );
  expect((await readHead(pool)).endPosition).toBe(1_999_990 + 8 * 21);
  expect(await ensurePartitionsFor(pool, 5_500_000, 7_500_000)).toBe(true);
  await pool.query(
    `INSERT INTO log_entries (position, length, message_id, audience, payload)
     SELECT position, 1, 0, 0, '{}' FROM unnest('{5000000,6999999,8999999}'::bigint[]) position`,
  );
});

test('a trim that was blocked by a long snapshot is completed by a later one', async () => {
  await pool.query(`INSERT INTO log_entries (position, length, message_id, audience, payload, appended_at)
    VALUES (500, 1, 0, 0, '{}', parley_now() - interval '9 days'), (1000001, 1, 0, 0, '{}', parley_now())`);
  await takeSideEffects(pool);
  const reader = await pool.connect();
  await reader.query('SET idle_in_transaction_session_timeout = 0');
  await reader.query('BEGIN');
  await reader.query('SELECT count(*) FROM log_entries');
  await expect(trimLog(pool, 8 * 86_400)).rejects.toMatchObject({ code: '55P03' });
  await reader.query('COMMIT');
  reader.release(true);
  await trimLog(pool, 8 * 86_400);
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname = 'log_entries_from_0'`,
  );
  expect(rows).toEqual([]);
  expect(await ensurePartitionsFor(pool, 5_000_000)).toBe(true);
});

test("trimming moves the log's beginning before it removes entries", async () => {
  await pool.query(`INSERT INTO log_entries (position, length, message_id, audience, payload, appended_at)
    VALUES (500, 1, 0, 0, '{}', parley_now() - interval '9 days'), (1000001, 1, 0, 0, '{}', parley_now())`);
  // The log's side effects must be stored as rows before its entries may be removed.
  expect(await trimLog(pool, 8 * 86_400)).toEqual([]);
  await takeSideEffects(pool);
  expect(await trimLog(pool, 8 * 86_400)).toEqual(['log_entries_from_0']);
  const head = await readHead(pool);
  expect(head.beginPosition).toBe(999_999);
  expect(await trimLog(pool, 8 * 86_400)).toEqual([]);
  await append(1);
  expect((await readHead(pool)).endPosition).toBe(1_000_002);
});

test('another history of the database opens an epoch, whose positions exceed all used ones', async () => {
  await append(1);
  const before = await readHead(pool);
  const seen: PositionedEntry[] = [];
  const follower = await follow((entries) => seen.push(...entries));
  await pool.query(`UPDATE log_head SET timeline = '0000FFFF'`);
  await append(2);
  const after = await readHead(pool);
  expect(after.epoch).toBe(before.epoch + 1);
  expect(after.endPosition).toBe(before.endPosition + 1_000_000_000 + 1);
  expect(await readEpochs(pool)).toContainEqual({
    epoch: after.epoch,
    previousEndPosition: before.endPosition,
    startPosition: after.endPosition - 1,
  });
  expect(await openEpochIfNeeded(pool)).toBe(after.epoch);
  await follower.checkHead();
  await waitUntil(
    'the follower crosses into the new epoch',
    () => follower.cursor === after.endPosition,
  );
  expect(positionsOf(seen)).toEqual([after.endPosition]);
});

test('a follower that reads an entry of a new epoch before its head check switches to it', async () => {
  await append(1);
  const seen: PositionedEntry[] = [];
  const follower = await follow((entries) => seen.push(...entries), {
    prefix: `${keyPrefix}-deaf`,
  });
  await append(2);
  const before = await readHead(pool);
  await pool.query(`UPDATE log_head SET timeline = '0000FFFF'`);
  await append(3);
  const after = await readHead(pool);
  expect(await follower.waitFor(after.endPosition, 10_000)).toBe(true);
  expect(positionsOf(seen)).toEqual([before.endPosition, after.endPosition]);
});

test('an empty epoch has a position to wait at, and accepts none that it lost', async () => {
  await append(1);
  const seen: PositionedEntry[] = [];
  // The hint still waits for the preceding one when the epoch opens.
  const waits = new WhollyMovedClock();
  const follower = await follow((entries) => seen.push(...entries), {
    prefix: `${keyPrefix}-own`,
    clock: waits,
  });
  const start = follower.cursor;
  const hint = `1\n${start + 2} 1 0 0\n{"v":1,"kind":"tick"}`;
  await redis.publish(`${keyPrefix}-own:log`, hint);
  await append(2);
  await pool.query(`UPDATE log_head SET timeline = '0000FFFF'`);
  expect(await openEpochIfNeeded(pool)).toBe(2);
  const head = await follower.checkHead();
  expect(head?.endPosition).toBe(start + 1 + 1_000_000_000);
  const reached = follower.waitFor(head?.endPosition ?? 0, 10_000);
  await waits.advance(15);
  expect(await reached).toBe(true);
  expect(positionsOf(seen)).toEqual([start + 1]);
});

test('an epoch that lost entries a follower has read invalidates their data', async () => {
  for (let mark = 0; mark < 3; mark += 1) await append(mark);
  let resets = 0;
  const follower = await follow(() => undefined, {
    prefix: `${keyPrefix}-deaf`,
    onReset: () => {
      resets += 1;
    },
  });
  await pool.query('DELETE FROM log_entries WHERE position = $1', [follower.cursor]);
  await pool.query(`UPDATE log_head SET timeline = '0000FFFF'`);
  await append(4);
  const head = await follower.checkHead();
  expect(resets).toBe(1);
  expect(follower.cursor).toBe(head?.endPosition);
});

test('a page by audience has the right entries, including those that began below it', async () => {
  const start = (await readHead(pool)).endPosition;
  const audiences = [
    audienceKey.everyone,
    audienceKey.stream(1),
    audienceKey.user(1),
    audienceKey.stream(2),
  ];
  for (const [mark, audience] of audiences.entries()) {
    await eventLog.transaction(async () => ({
      result: undefined,
      append: { entries: [{ entry: change(mark, 3), audience }] },
    }));
  }
  const page = await readEntriesForAudiences(
    pool,
    { after: start + 4, upTo: start + 12 },
    [audienceKey.everyone, audienceKey.stream(1), audienceKey.stream(2)],
    10,
  );
  expect(page.map((entry) => entry.position)).toEqual([start + 4, start + 10]);
  const all = await readEntriesForAudiences(
    pool,
    { after: start + 4, upTo: start + 9 },
    undefined,
    10,
  );
  expect(all.map((entry) => entry.position)).toEqual([start + 4, start + 7]);
});
