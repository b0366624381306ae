/**
 * Searches read few pages, whatever their words are, and find what a plain condition finds. Forty thousand messages are spread over
 * a million ids. A search walks windows of ids, so it takes as many steps as among a million messages, and a step reads no more
 * pages than there. Among a million the limit is 2,000 pages, of which at most 1,800 are read; here it is at most 1,100.
 */
import type { NarrowTerm } from '@parley/api/messages';
import type { Pool, Queryable } from '@parley/database';
import {
  holdsMessageSql,
  listMessages,
  noteNewestMessages,
  readShownMessages,
} from '@parley/store';
import type { MessagePage } from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { compileNarrow } from '../../services/messages/src/narrow/compile-narrow.ts';

const buffersMax = 1300;
/** For a page's texts and attached data, if they are spread over the whole table. */
const shownBuffersMax = 700;
/** Unread messages are counted first, conversation by conversation. */
const unreadBuffersMax = buffersMax + 400;

const member = 1;
const guest = 2;
const some = 3;
/** Has a conversation with the member. */
const partner = 13;

const words = {
  everywhere: 'true',
  tenth: 'h % 10 = 0',
  hundredth: 'h / 10 % 100 = 0',
  fivehundredth: 'h / 100 % 500 = 0',
  twothousandth: 'h / 10 % 2000 = 0',
  rarity: 'n % 8000 = 7',
  missing: 'false',
  recently: 'n > 38000 AND n % 5 <> 0',
  anciently: 'n < 4000 AND n % 3 = 0',
} as const;
type Word = keyof typeof words;

const fill = `
  INSERT INTO users (id, email, email_folded, full_name, full_name_folded, short_name, role)
    SELECT n, 'u' || n || '@example.com', 'U' || n || '@EXAMPLE.COM', 'User ' || n, 'USER ' || n, 'u',
      CASE WHEN n = ${guest} THEN 'guest' ELSE 'member' END FROM generate_series(1, 60) n;
  INSERT INTO streams (id, name, name_folded, email_token) SELECT n, 'stream ' || n, 'STREAM ' || n, n FROM generate_series(1, 200) n;
  INSERT INTO changes (id, position, message_id) VALUES (1, 1, 0), (2, 2, 600000);
  INSERT INTO membership_periods (user_id, stream_id, from_change_id)
    SELECT ${member}, s, 1 FROM generate_series(1, 200) s UNION ALL SELECT ${guest}, 7, 1
    UNION ALL SELECT ${some}, s, 1 + s % 2 FROM generate_series(1, 200) s WHERE s % 10 = 0;
  INSERT INTO conversations (id, stream_id, topic_folded)
    SELECT s * 5 + t, s, 'TOPIC ' || t FROM generate_series(1, 200) s, generate_series(0, 4) t;
  INSERT INTO conversations (id, participant_ids) SELECT 2000 + n, ARRAY[1 + n % 3, 10 + n] FROM generate_series(1, 40) n;
  INSERT INTO conversation_participants (user_id, conversation_id)
    SELECT unnest(participant_ids), id FROM conversations WHERE participant_ids IS NOT NULL;
  CREATE FUNCTION fill(first integer, last integer) RETURNS void LANGUAGE sql AS $$
    INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic, content,
      rendered_content, client, sent_at, search)
    SELECT n * 25, n, sender, stream, conversation, conversation, 1, 'topic', body, body, 'test', parley_now(),
      message_words_vector(array_to_string(tsvector_to_array(to_tsvector('english', body)), ' '), stream, conversation, sender, n * 25)
    FROM (SELECT n, hashint8(n)::bigint + 2147483648 AS h FROM generate_series(first, last) n) g
    CROSS JOIN LATERAL (SELECT CASE WHEN n % 20 <> 0 THEN (1 + h / 1000 % 200)::integer END AS stream, (1 + h / 300 % 60)::integer AS sender) s
    CROSS JOIN LATERAL (SELECT CASE WHEN stream IS NULL THEN 2001 + h / 1000 % 40 ELSE stream * 5 + h % 5 END AS conversation) c
    CROSS JOIN LATERAL (SELECT concat_ws(' ', md5(n::text), ${Object.entries(words)
      .map(([word, condition]) => `CASE WHEN ${condition} THEN '${word}' END`)
      .join(', ')}) AS body) b
  $$;`;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url);
  await pool.query(fill);
  await pool.query('SELECT fill(1, 39900)');
  await pool.query('VACUUM ANALYZE');
  // These stay in the pending list of the index.
  await pool.query('ALTER INDEX messages_search SET (gin_pending_list_limit = 4096)');
  await pool.query('SELECT fill(39901, 40000)');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const term = (operator: string, operand: NarrowTerm['operand']): NarrowTerm => ({
  operator,
  operand,
  negated: false,
});

const newest: MessagePage = { anchor: 10_000_000_000_000_000, beforeMax: 100, fromAnchorMax: 0 };

/** @returns a pool that counts the pages, in memory or on disk, that its statements read */
function countingPool(): { readonly db: Queryable; readonly buffers: () => number } {
  let buffers = 0;
  const db: Queryable = {
    query: async (statement) => {
      const { text, values = [] } = statement;
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
        text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      });
      const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
      buffers += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      return pool.query(statement);
    },
  };
  return { db, buffers: () => buffers };
}

/** @returns a page, and how many pages in memory or on disk its list read */
async function look(
  userId: number,
  terms: readonly NarrowTerm[],
  page: MessagePage,
): Promise<{ ids: number[]; buffers: number }> {
  const { list } = await compileNarrow(pool, userId, terms);
  const { db, buffers } = countingPool();
  const { messages } = await listMessages(db, list, page);
  return { ids: messages.map(({ id }) => id), buffers: buffers() };
}

/** The meaning of the narrow, without any index: the parser itself stems the words. */
async function plainly(
  userId: number,
  terms: readonly NarrowTerm[],
  page: MessagePage,
): Promise<number[]> {
  const conditions = terms.map(({ operator, operand }) => {
    if (operator === 'search')
      return `m.search @@ plainto_tsquery('english', '${String(operand)}')`;
    if (operator === 'stream')
      return `m.stream_id = (SELECT s.id FROM streams s WHERE s.name = '${String(operand)}')`;
    if (operator === 'streams') return 'm.stream_id IS NOT NULL';
    return `m.conversation_id = (SELECT c.id FROM conversations c WHERE c.participant_ids = ARRAY[${userId}, ${partner}])`;
  });
  const seesHistory =
    userId !== guest && terms.some(({ operator }) => operator.startsWith('stream'));
  const { rows } = await pool.query<{ id: number }>({
    text: `WITH found AS MATERIALIZED (SELECT m.id FROM messages m
        WHERE (${conditions.join(') IS TRUE AND (')}) IS TRUE AND (${String(seesHistory)} OR ${holdsMessageSql('m', String(userId))}))
      SELECT id FROM ((SELECT id FROM found WHERE id < $1 ORDER BY id DESC LIMIT $2)
        UNION ALL (SELECT id FROM found WHERE id >= $1 ORDER BY id LIMIT $3)) page ORDER BY id`,
    values: [page.anchor, page.beforeMax, page.fromAnchorMax],
  });
  return rows.map(({ id }) => id);
}

describe('the first page', () => {
  const stream = term('stream', 'stream 7');
  test.each([
    { who: 'a member of all streams', userId: member, others: [] },
    { who: 'a guest of one stream', userId: guest, others: [] },
    { who: 'a member, in a stream,', userId: member, others: [stream] },
    { who: 'a guest, in the stream,', userId: guest, others: [stream] },
    { who: 'a member, in a conversation,', userId: member, others: [term('pm-with', [partner])] },
  ])('for $who reads few pages', async ({ userId, others }) => {
    for (const word of Object.keys(words)) {
      const terms = [...others, term('search', word)];
      const { ids, buffers } = await look(userId, terms, newest);
      expect({ word, ids }).toEqual({ word, ids: await plainly(userId, terms, newest) });
      expect(buffers, `${word}: ${buffers} pages`).toBeLessThanOrEqual(buffersMax);
    }
  });

  test('its content is read from few pages when nothing is in memory', async () => {
    const { ids } = await look(member, [term('search', 'everywhere')], newest);
    const { db, buffers } = countingPool();
    const wanted = ids.map((id) => ({ id, version: 0, isAbove: false, isNearAnchor: false }));
    const { shown } = await readShownMessages(db, wanted, 'rendered');
    expect(shown.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(ids);
    // Four for each message in the index, one or two of the table.
    expect(buffers(), `${buffers()} pages`).toBeLessThanOrEqual(shownBuffersMax);
  });
});

describe('unread messages', () => {
  beforeAll(async () => {
    while (await noteNewestMessages(pool));
    await pool.query('INSERT INTO changes (id, position, message_id) VALUES (3, 3, 985000)');
    await pool.query(`INSERT INTO read_users (user_id, floor_change_id) VALUES (${some}, 3)`);
  });

  test.each([
    { who: 'who has read nothing', userId: member, floor: 0 },
    { who: 'who has read nearly everything', userId: some, floor: 985_000 },
  ])('with words take few pages for one $who', async ({ userId, floor }) => {
    for (const word of Object.keys(words)) {
      const search = term('search', word);
      const { ids, buffers } = await look(userId, [search, term('is', 'unread')], newest);
      const expected = await plainly(userId, [search], newest);
      expect({ word, ids }).toEqual({ word, ids: expected.filter((id) => id > floor) });
      expect(buffers, `${word}: ${buffers} pages`).toBeLessThanOrEqual(unreadBuffersMax);
    }
  });
});

test('a search finds exactly the visible matches, around any anchor', async () => {
  const unknownToGuest = [term('stream', 'stream 20')];
  const anyWord = fc.constantFrom<Word>(...(Object.keys(words) as Word[]));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(member, guest, some),
      fc.uniqueArray(anyWord, { minLength: 1, maxLength: 3 }),
      fc.constantFrom<readonly NarrowTerm[]>(
        [],
        [],
        [term('stream', 'stream 7')],
        unknownToGuest,
        [term('streams', 'public')],
        [term('pm-with', [partner])],
      ),
      fc.oneof(fc.integer({ min: -1, max: 1_000_100 }), fc.constant(newest.anchor)),
      fc.constantFrom(0, 1, 7, 100, 3000),
      fc.constantFrom(0, 1, 7, 100, 3000),
      async (userId, searched, others, anchor, beforeMax, fromAnchorMax) => {
        const terms = [...others, term('search', searched.join(' '))];
        const page = { anchor, beforeMax, fromAnchorMax };
        if (userId === guest && others === unknownToGuest) {
          await expect(look(userId, terms, page)).rejects.toMatchObject({ code: 'BAD_NARROW' });
          return;
        }
        const { ids } = await look(userId, terms, page);
        expect(ids).toEqual(await plainly(userId, terms, page));
      },
    ),
    { numRuns: 60 },
  );
});
