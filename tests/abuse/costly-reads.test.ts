/** Expensive reads: a narrow is bounded, and a read ends when its caller has left. */
import type { Pool } from '@parley/database';
import { openTestPool, readObjects, waitUntil } from '@parley/test-kit';
import type { Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { refusalOf } from '../api/message-fixture.ts';
import { badNarrow, expectRefusal } from '../api/refusals.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';
import { movedClockOf } from '../support/moved-clock.ts';

/** Connections of all messages services together for requests. */
const connectionsMax = 10;
/** How long the gateway waits for an answer. */
const answerMaxMs = 7_000;

let organization: SmallOrganization;
let messageId: number;
let streamId: number;
/** Holds a lock, and looks who waits for it. */
let locking: Pool;

beforeAll(async () => {
  organization = await startSmallOrganization();
  locking = openTestPool(organization.cluster.settings.databaseUrl, 2);
  const ann = organization.client('ann');
  await ann.subscribe('general');
  messageId = await ann.sendToStream('general', 'hello', 'words to find');
  streamId = await ann.streamId('general');
});
afterAll(async () => {
  await locking?.end();
  await organization?.stop();
});

const page = { anchor: 'newest', num_before: 1, num_after: 0 };

describe('a narrow', () => {
  const topics = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, n) => ['topic', `t${n}`]);

  test.each<['GET' | 'POST', string, Parameters]>([
    ['GET', 'messages', page],
    ['POST', 'messages', { method: 'GET', ...page }],
    ['GET', 'messages/matches_narrow', { msg_ids: [] }],
    ['POST', 'register', { event_types: ['message'] }],
    ['GET', 'events', { event_types: ['message'], dont_block: true }],
  ])('has fifty different terms at most: %s %s', async (method, path, parameters) => {
    const ann = organization.client('ann');
    const ask = (narrow: unknown): Promise<unknown> =>
      ann.call(method, path, { ...parameters, narrow });
    const repeated = Array.from({ length: method === 'GET' ? 300 : 20_000 }, () => topics(50)[0]);
    await ask(repeated);
    await ask(topics(50));
    await expectRefusal(ask(topics(51)), badNarrow('too many terms'));
  });
});

test('matches_narrow is refused if the texts are longer together than those of a page', async () => {
  const ann = organization.client('ann');
  const long = await ann.sendToStream('general', 'long', 'a very long text');
  const ask = (): Promise<Readonly<Record<string, unknown>>> =>
    ann.get('messages/matches_narrow', { msg_ids: [messageId, long], narrow: [] });
  expect(Object.keys((await ask())['messages'] as object)).toHaveLength(2);
  const change = (renderedContent: string): Promise<unknown> =>
    organization.pool.query({
      text: `UPDATE messages SET rendered_content = ${renderedContent} WHERE id = $1`,
      values: [long],
    });
  // Longer than any real message, as thousands of real ones are together.
  await change(`repeat('x', 17 * 1024 * 1024)`);
  await expectRefusal(ask(), 'The messages are too long together; ask for fewer of them.');
  await change(`'<p>a very long text</p>'`);
});

test.each([
  [
    'submessages',
    `INSERT INTO submessages (message_id, sender_id, msg_type, content)
      SELECT m.id, m.sender_id, 'widget', repeat('x', 8 * 1024 * 1024) FROM messages m WHERE m.id = $1`,
    'DELETE FROM submessages WHERE message_id = $1',
  ],
  [
    'reactions',
    `INSERT INTO reactions (message_id, user_id, reaction_type, emoji_code, emoji_name)
      SELECT m.id, m.sender_id, 'unicode_emoji', n, lpad(n::text, 200, 'x') FROM messages m, generate_series(1, 25000) n WHERE m.id = $1`,
    'DELETE FROM reactions WHERE message_id = $1',
  ],
  [
    'recipients',
    `UPDATE conversations c SET participant_ids = array_fill(m.sender_id, ARRAY[45000]) FROM messages m
      WHERE m.id = $1 AND c.id = m.conversation_id`,
    `UPDATE conversations c SET participant_ids = ARRAY[m.sender_id] FROM messages m WHERE m.id = $1 AND c.id = m.conversation_id`,
  ],
])('a page leaves out messages that are too long together: %s', async (what, lengthen, shorten) => {
  const ann = organization.client('ann');
  const sent: number[] = [];
  for (let n = 0; n < 3; n += 1)
    sent.push(
      what === 'recipients'
        ? await ann.sendPrivately(['Ann@example.com'], `note ${n}`)
        : await ann.sendToStream('general', what, `question ${n}`),
    );
  const ask = async (): Promise<unknown> => {
    const answer = await ann.get('messages', {
      narrow: what === 'recipients' ? [['is', 'private']] : [['topic', what]],
      anchor: 'newest',
      num_before: 4,
      num_after: 0,
    });
    return [readObjects(answer, 'messages').map(({ id }) => id), answer['found_oldest']];
  };
  expect(await ask()).toEqual([sent, true]);
  // Longer than those of one message may be, as those of a whole page are together.
  await organization.pool.query(lengthen, [sent[0]]);
  expect(await ask()).toEqual([sent.slice(1), false]);
  await organization.pool.query(shorten, [sent[0]]);
  expect(await ask()).toEqual([sent, true]);
});

type Read = readonly [
  what: string,
  method: 'GET' | 'POST',
  () => string,
  Parameters,
  locked: string,
];

const reads: readonly Read[] = [
  ['a page', 'GET', () => 'messages', page, 'message_flags'],
  [
    'a page requested by POST',
    'POST',
    () => 'messages',
    { method: 'GET', ...page },
    'message_versions',
  ],
  [
    'a search',
    'GET',
    () => 'messages',
    { ...page, narrow: [['search', 'words']] },
    'late_receipts',
  ],
  [
    'matches of a narrow',
    'GET',
    () => 'messages/matches_narrow',
    { msg_ids: [1], narrow: [] },
    'late_receipts',
  ],
  ['a history', 'GET', () => `messages/${messageId}/history`, {}, 'message_edits'],
  ['files', 'GET', () => 'attachments', {}, 'upload_space'],
  ['streams', 'GET', () => 'streams', {}, 'streams'],
  ['subscriptions', 'GET', () => 'users/me/subscriptions', {}, 'subscriptions'],
  ['topics', 'GET', () => `users/me/${streamId}/topics`, {}, 'conversations'],
  ['members', 'GET', () => `streams/${streamId}/members`, {}, 'membership_periods'],
  [
    'people',
    'GET',
    () => 'users',
    { include_custom_profile_fields: true },
    'custom_profile_values',
  ],
];

/** Statements of requests that wait for the table. */
async function countWaiting(table: string): Promise<number> {
  const { rows } = await locking.query<{ count: number }>({
    text: `SELECT count(*) AS count FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.relation = $1::regclass AND NOT l.granted AND a.wait_event_type = 'Lock'`,
    values: [table],
  });
  return rows[0]?.count ?? 0;
}

async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const client = await locking.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('an abandoned read', () => {
  test.each(reads)('ends in Postgres: %s', async (_what, method, path, parameters, table) => {
    await whileLocked(table, async () => {
      const leaving = new AbortController();
      const request = organization
        .client('ann')
        .call(method, path(), parameters, { signal: leaving.signal });
      await waitUntil('the statement waits', async () => (await countWaiting(table)) === 1);
      leaving.abort();
      await expect(request).rejects.toThrow();
      await waitUntil('nothing waits', async () => (await countWaiting(table)) === 0);
    });
  });

  test('releases its connection, however many are abandoned at once', async () => {
    await whileLocked('message_flags', async () => {
      const leaving = new AbortController();
      const { signal } = leaving;
      const requests = Array.from({ length: 12 }, () =>
        organization.client('ann').get('messages', page, { signal }),
      );
      await waitUntil(
        'every connection waits',
        async () => (await countWaiting('message_flags')) === connectionsMax,
      );
      leaving.abort();
      for (const { status } of await Promise.allSettled(requests)) expect(status).toBe('rejected');
      for (let n = 0; n < connectionsMax; n += 1)
        await organization.client('bob').get('users/me/alert_words');
    });
    expect((await organization.client('ann').get('messages', page))['messages']).toHaveLength(1);
  });
});

test('a read that exceeds its time limit is not repeated elsewhere, and ends', async () => {
  const clock = movedClockOf(organization.cluster);
  // The system cannot settle while the request is open, but its nodes keep their leases, for which Postgres has to answer.
  const advance = (ms: number): Promise<void> =>
    clock.advance(ms, () => organization.pool.query('SELECT 1'));
  // Nothing that nodes do by themselves reads this table.
  await whileLocked('message_edits', async () => {
    let refusal: unknown;
    const request = refusalOf(organization.client('ann').get(`messages/${messageId}/history`)).then(
      (body) => {
        refusal = body;
      },
    );
    await waitUntil('the statement waits', async () => (await countWaiting('message_edits')) === 1);
    await advance(answerMaxMs - 1);
    expect([refusal, await countWaiting('message_edits')]).toEqual([undefined, 1]);
    await advance(1);
    await request;
    expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    await waitUntil('nothing waits', async () => (await countWaiting('message_edits')) === 0);
  });
});
