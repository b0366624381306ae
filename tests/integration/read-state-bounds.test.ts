/** However much a user marks as read, the event about it has a bounded size. */
import { transaction } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import { markStreamRead, markTopicRead, unreadListedMax, unreadState } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const total = unreadListedMax + 10;
const reader = 1;
const stream = 1;
const topic = 1;
/** The messages with these ids were moved from another topic. */
const movedIds = [3, total];

const fill = `
  INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name, role)
    VALUES (${reader}, 'a@example.com', 'A@EXAMPLE.COM', 'A', 'A', 'a', 'member'), (2, 'b@example.com', 'B@EXAMPLE.COM', 'B', 'B', 'b', 'member');
  INSERT INTO streams (id, name, name_folded, email_token) VALUES (${stream}, 'stream', 'STREAM', 't');
  INSERT INTO changes (id, position, message_id) VALUES (1, 1, 0);
  INSERT INTO membership_periods (user_id, stream_id, from_change_id) VALUES (${reader}, ${stream}, 1);
  INSERT INTO conversations (id, stream_id, topic_folded) VALUES (${topic}, ${stream}, 'TOPIC'), (2, ${stream}, 'ELSEWHERE');
  INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
      rendered_content, client, sent_at, search)
    SELECT n, n + 1, 2, ${stream}, ${topic}, CASE WHEN n IN (${movedIds.join(', ')}) THEN 2 ELSE ${topic} END, 1, 'topic', 'x', 'x',
      'test', parley_now(), '' FROM generate_series(1, ${total}) n`;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  await pool.query(fill);
  await pool.query('ANALYZE');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const undone = new Error('what was marked is forgotten again');

/** @returns the ids listed as marked, and the number of messages unread afterwards */
async function mark(
  marking: (client: Client) => Promise<number[]>,
): Promise<{ readonly ids: readonly number[]; readonly unread: number }> {
  let ids: number[] = [];
  let unread = Number.NaN;
  await transaction(pool, async (client) => {
    ids = await marking(client);
    unread = (await unreadState(client, reader)).count;
    throw undone;
  }).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return { ids, unread };
}

test('of too many unread messages the newest are listed', async () => {
  const { streams, count } = await unreadState(pool, reader);
  expect(count).toBe(unreadListedMax);
  expect(streams).toHaveLength(1);
  expect(streams[0]).toMatchObject({ stream_id: stream, topic: 'topic', sender_ids: [2] });
  expect(streams[0]?.unread_message_ids).toEqual(
    Array.from({ length: unreadListedMax }, (_, n) => total - unreadListedMax + 1 + n),
  );
});

test.each([
  ['topic', (client: Client) => markTopicRead(client, reader, topic)],
  ['stream', (client: Client) => markStreamRead(client, reader, stream)],
])('all of a %s is marked, and the newest are listed', async (_, marking) => {
  const { ids, unread } = await mark(marking);
  expect(unread).toBe(0);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([unreadListedMax, 11, total]);
});
