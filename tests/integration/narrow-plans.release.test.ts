/**
 * The cost in Postgres of the first page of every narrow, on a history of the shape of `history-data.ts`. The requirement is 2,000
 * shared buffers with a million messages (`npm run load -- plans` measures that). The same limit holds here: the cost of a page
 * depends on the reader's streams, conversations and flags, which are as many here, and not on the number of messages. A scan of
 * the messages (2,200 pages), or a row fetched for each message of a sender, exceeds it here as well.
 */
import type { Client, Pool } from '@parley/database';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { historyPeople, makeHistory } from '../load/scenarios/history-data.ts';
import {
  explainPage,
  explainUnreadState,
  historyAnchors,
  historyCases,
} from '../load/scenarios/history-plans.ts';

const messages = 40_000;
const buffersMax = 2_000;
// The first unread message of a rare property is looked for among all unread ones that have it, each fetched by itself.
const firstUnreadBuffersMax = 13_000;
// Messages that a negated term excludes are examined and skipped. Common exclusions cost as much as a page without a narrow. If
// nearly all is excluded, every message of the reader is examined once, through the primary key alone or with cached rows.
const negatedBuffersMax = 4_000;

let database: TestDatabase;
let pool: Pool;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 1, {
    statementTimeoutMs: 60_000,
  });
  await makeHistory(pool, messages);
  client = await pool.connect();
}, 120_000);
afterAll(async () => {
  client.release();
  await pool.end();
  await database.drop();
});

const { memberRead, memberUnread, memberOneUnread, memberSomeUnread, guestRead, guestUnread } =
  historyPeople;
const readers = Object.entries({
  memberRead,
  memberUnread,
  memberOneUnread,
  memberSomeUnread,
  guestRead,
  guestUnread,
});

test.each(readers)(
  'every narrow is served by indexes for %s',
  async (_, userId) => {
    const dear: string[] = [];
    for (const { name, narrow } of historyCases(userId)) {
      for (const anchor of historyAnchors) {
        const cost = await explainPage(client, {
          userId,
          narrow: JSON.stringify(narrow),
          anchor,
          messages,
        });
        const max = anchor === 'first_unread' ? firstUnreadBuffersMax : buffersMax;
        if (cost.buffers > max)
          dear.push(`${name}, ${anchor}: ${cost.buffers} buffers by ${cost.plan}`);
      }
    }
    expect(dear).toEqual([]);
  },
  120_000,
);

const negated = [
  ['stream', 'stream 7'],
  ['streams', 'public'],
  ['topic', 'topic 3'],
  ['sender', 'u11@example.com'],
  ['pm-with', 'u30@example.com'],
  ['group-pm-with', 'u11@example.com'],
  ['is', 'private'],
  ['is', 'starred'],
  ['is', 'mentioned'],
  ['is', 'alerted'],
  ['has', 'link'],
  ['has', 'image'],
  ['has', 'attachment'],
  ['id', '12345'],
] as const;

test.each(readers)(
  'a negated term has bounded cost for %s',
  async (_, userId) => {
    const dear: string[] = [];
    for (const [operator, operand] of negated) {
      for (const anchor of ['newest', 'middle', 'oldest'] as const) {
        const narrow = JSON.stringify([{ operator, operand, negated: true }]);
        const cost = await explainPage(client, { userId, narrow, anchor, messages });
        if (cost.buffers > negatedBuffersMax)
          dear.push(`-${operator}:${operand}, ${anchor}: ${cost.buffers} buffers by ${cost.plan}`);
      }
    }
    expect(dear).toEqual([]);
  },
  120_000,
);

test.each(readers)('the unread messages of %s are read once', async (_, userId) => {
  const { buffers } = await explainUnreadState(client, userId);
  // For each unread message its entry in the primary key and its row, plus the way to them.
  expect(buffers).toBeLessThan(2 * messages);
});
