/** Candidates of notifications on a real Postgres: what finding them reads; and what is due is decided, however much is not. */
import { systemClock } from '@parley/clock';
import { createPool, transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import { missedMailWriter, takeNewMessages } from '@parley/outgoing/jobs';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { findStreamSendFacts, flagBits, listBots } from '@parley/store';
import { listDueMailCandidates, lockMailCandidates } from '@parley/store/notifications';
import type { Candidate, ReadCandidate } from '@parley/store/notifications';
import { createTestDatabase, openTestPool, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 4);
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

test('a step has what is due before what is not, so that each decides something', async () => {
  await pool.query(
    `INSERT INTO messages_to_mail (user_id, message_id, due_at)
     SELECT 7, n, parley_now() + CASE WHEN n = 50 THEN interval '-1 s' ELSE interval '1 h' END FROM generate_series(1, 50) n`,
  );
  expect(await listDueMailCandidates(pool, { dueMax: 10, candidatesMax: 3 })).toMatchObject([
    { userId: 7, messageId: 50, isDue: true },
    { userId: 7, messageId: 1, isDue: false },
    { userId: 7, messageId: 2, isDue: false },
  ]);
});

test('candidates about whom another process decides, or has decided, are left out', async () => {
  await pool.query(
    'INSERT INTO messages_to_mail (user_id, message_id, due_at) SELECT n / 10, n, parley_now() FROM generate_series(10, 39) n',
  );
  const candidates = await listDueMailCandidates(pool, { dueMax: 30, candidatesMax: 30 });
  const idsOf = (of: readonly Candidate[]): number[] => of.map(({ messageId }) => messageId);
  await transaction(pool, async (other) => {
    await lockMailCandidates(other, candidates.slice(0, 1));
    await pool.query('DELETE FROM messages_to_mail WHERE message_id = 25');
    const locked = await transaction(pool, (client) => lockMailCandidates(client, candidates));
    expect(idsOf(locked)).toEqual(
      idsOf(candidates.slice(10)).filter((messageId) => messageId !== 25),
    );
  });
});

test('who decides by what a message was before an edit mentioned somebody decides nothing', async () => {
  await pool.query(
    `INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name) SELECT n, n, n, n, n, n FROM generate_series(7, 9) n;
     INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
       rendered_content, client, sent_at, search) VALUES (1, 1, 9, 1, 1, 1, 1, '', '', '', '', parley_now(), '');
     INSERT INTO message_flags (user_id, message_id, set_bits) VALUES (7, 1, ${flagBits.mentioned});
     INSERT INTO messages_to_mail (user_id, message_id, due_at) SELECT n, 1, parley_now() FROM generate_series(7, 8) n`,
  );
  const list = (): Promise<ReadCandidate[]> =>
    listDueMailCandidates(pool, { dueMax: 2, candidatesMax: 2 });
  const decide = async (candidates: readonly ReadCandidate[]): Promise<number[]> =>
    (await transaction(pool, (client) => lockMailCandidates(client, candidates)))
      .map(({ userId }) => userId)
      .toSorted((a, b) => a - b);
  const before = await list();
  await pool.query(
    'INSERT INTO mentions_added (message_id, told_all, told_ids) VALUES (1, false, ARRAY[8])',
  );
  expect(await decide(before)).toEqual([]);
  await takeNewMessages(pool, { mail: true });
  expect(await decide(before)).toEqual([8]);
  await pool.query('UPDATE messages_to_mail SET due_at = parley_now()');
  expect(await decide(await list())).toEqual([7, 8]);
});

test('what takes time is done while nothing is locked', async () => {
  await pool.query(
    'INSERT INTO messages_to_mail (user_id, message_id, due_at) VALUES (7, 1, parley_now())',
  );
  const write = missedMailWriter({
    clock: systemClock,
    pool,
    keySecrets: deriveKeySecrets('a secret of more than thirty-two characters'),
    publicUrl: 'http://parley.example',
    answerAddresses: undefined,
  });
  const holder = await pool.connect();
  let writing: Promise<number>;
  try {
    await holder.query('BEGIN; LOCK TABLE users');
    writing = write();
    await waitUntil('the facts of a candidate are read', async () => {
      const { rows } = await pool.query(
        `SELECT 1 FROM pg_locks WHERE relation = 'users'::regclass AND NOT granted`,
      );
      return rows.length > 0;
    });
    const { rows } = await pool.query('SELECT 1 FROM messages_to_mail FOR UPDATE NOWAIT');
    expect(rows).toHaveLength(1);
  } finally {
    await holder.query('COMMIT');
    holder.release();
  }
  await expect(writing).rejects.toThrow();
});

describe('in an organization whose tables were never analyzed', () => {
  const peopleCount = 2_000;
  const messageCount = 300;
  let oneConnection: Pool;
  beforeEach(async () => {
    // As the service opens it, but for one connection, so that it is known which one counts what it reads.
    oneConnection = createPool({
      databaseUrl: database.url,
      clock: systemClock,
      applicationName: 'test',
      connectionsMax: 1,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 30_000,
      looksUpByKey: true,
      onError: () => undefined,
    });
    await pool.query(
      `INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name, settings)
       SELECT n, 'p' || n, 'p' || n, 'p', 'p', 'p', CASE WHEN n <= 4 THEN '{"enable_stream_email_notifications": true}' ELSE '{}' END::jsonb
       FROM generate_series(1, ${peopleCount}) n;
       INSERT INTO subscriptions (user_id, stream_id, is_active, color) SELECT n, 1, n > 4, '' FROM generate_series(1, ${peopleCount}) n`,
    );
  });
  afterEach(() => oneConnection.end());

  async function sendMany(count: number, mentionsWildcard: boolean): Promise<void> {
    await pool.query(
      `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
         rendered_content, client, sent_at, mentions_wildcard, search)
       SELECT n, n, 9, 1, 1, 1, 1, 'topic', '', '', '', parley_now(), ${mentionsWildcard}, '' FROM generate_series(1, ${count}) n`,
    );
  }

  /** @returns the rows of each table that some work read by the one connection of its pool */
  async function rowsRead(of: Pool, work: () => Promise<unknown>): Promise<Record<string, number>> {
    const read = async (): Promise<Record<string, number>> => {
      await of.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await of.query<{ name: string; count: number }>(
        `SELECT relname AS name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS count FROM pg_stat_user_tables`,
      );
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    };
    const before = await read();
    await work();
    const after = await read();
    return Object.fromEntries(
      Object.entries(after)
        .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  }

  test('messages that concern nobody are read, and the few who want every message', async () => {
    await sendMany(messageCount, false);
    const {
      messages = 0,
      users = 0,
      told_upto: _position,
      ...others
    } = await rowsRead(oneConnection, () => takeNewMessages(oneConnection, { mail: true }));
    expect(others).toEqual({});
    expect(messages).toBeLessThan(messageCount + 10);
    expect(users).toBeLessThan(20);
  });

  test('nothing of them is read where nobody could be notified, and they are never looked at again', async () => {
    await sendMany(messageCount, false);
    const {
      messages = 0,
      told_upto: _position,
      ...others
    } = await rowsRead(oneConnection, () => takeNewMessages(oneConnection, { mail: false }));
    expect([others, messages < 5]).toEqual([{}, true]);
    expect(await takeNewMessages(oneConnection, { mail: true })).toBe(0);
  });

  test.each<[string, (usual: Pool) => Promise<unknown>]>([
    [
      'a send reads its sender',
      (usual) =>
        findStreamSendFacts(usual, [{ senderId: 9, address: { streamId: 1 }, topic: 'topic' }]),
    ],
    ['a register reads bots', (usual) => listBots(usual)],
  ])('%s, and not everybody', async (_what, read) => {
    const usual = openTestPool(database.url, 1);
    const { users = 0 } = await rowsRead(usual, () => read(usual));
    await usual.end();
    expect(users).toBeLessThan(10);
  });

  test('all whom messages concern become candidates once, in whichever process and in however many steps', async () => {
    await sendMany(7, true);
    await Promise.all([pool, oneConnection].map((each) => takeNewMessages(each, { mail: true })));
    const { rows } = await pool.query(
      'SELECT message_id AS id, count(*)::integer AS people FROM messages_to_mail GROUP BY 1 ORDER BY 1',
    );
    // All subscribers but the sender.
    expect(rows).toEqual(
      Array.from({ length: 7 }, (_, n) => ({ id: n + 1, people: peopleCount - 5 })),
    );
  });
});
