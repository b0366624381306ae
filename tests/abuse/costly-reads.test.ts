/** Expensive reads: a narrow is bounded, and a read ends when its caller has left. */
import { identityHeaderName } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Pool } from '@parley/database';
import { signIdentity } from '@parley/identity';
import { openTestPool, readObjects, waitUntil } from '@parley/test-kit';
import type { Parameters } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { refusalOf } from '../api/message-fixture.ts';
import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';

/** Connections of each process for requests. */
const connectionsMax = 3;

let organization: SmallOrganization;
let messageId: number;
let streamId: number;
/** Holds a lock, and looks who waits for it. */
let locking: Pool;

beforeAll(async () => {
  organization = await startSmallOrganization({
    messages: 2,
    events: 1,
    environment: {
      PARLEY_DATABASE_POOL_MAX: String(connectionsMax),
      PARLEY_UPSTREAM_TIMEOUT_SECS: '4',
    },
  });
  locking = openTestPool(organization.cluster.settings.databaseUrl, 2, {
    idleInTransactionMaxMs: 60_000,
  });
  const ann = organization.client('ann');
  await ann.post('users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
  messageId = await ann.sendToStream('general', 'hello', 'words to find');
  streamId = Number((await ann.get('get_stream_id', { stream: 'general' }))['stream_id']);
});
afterAll(async () => {
  await locking?.end();
  await organization?.stop();
});

const page = { anchor: 'newest', num_before: 1, num_after: 0 };

describe('a narrow', () => {
  const topics = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, n) => ['topic', `t${n}`]);
  const tooMany = {
    status: 400,
    code: 'BAD_NARROW',
    desc: 'too many terms',
    msg: 'Invalid narrow operator: too many terms',
  };

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
    expect(await refusalOf(ask(topics(51)))).toMatchObject(tooMany);
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
  expect(await refusalOf(ask())).toMatchObject({
    status: 400,
    msg: 'The messages are too long together; ask for fewer of them.',
  });
  await change(`'<p>a very long text</p>'`);
});

test('a page leaves out messages that are too long together with their submessages', async () => {
  const ann = organization.client('ann');
  const sent: number[] = [];
  for (let n = 0; n < 3; n += 1)
    sent.push(await ann.sendToStream('general', 'votes', `question ${n}`));
  const ask = async (): Promise<unknown> => {
    const answer = await ann.get('messages', {
      narrow: [['topic', 'votes']],
      anchor: 'newest',
      num_before: 4,
      num_after: 0,
    });
    return [readObjects(answer, 'messages').map(({ id }) => id), answer['found_oldest']];
  };
  // Longer than the submessages of one message may be, as those of a whole page are together.
  await organization.pool.query({
    text: `INSERT INTO submessages (message_id, sender_id, msg_type, content)
      SELECT m.id, m.sender_id, 'widget', repeat('x', 17 * 1024 * 1024) FROM messages m WHERE m.id = $1`,
    values: [sent[0]],
  });
  expect(await ask()).toEqual([sent.slice(1), false]);
  await organization.pool.query({
    text: 'DELETE FROM submessages WHERE message_id = $1',
    values: [sent[0]],
  });
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

  test('ends if it came by HTTP too', async () => {
    const ann: Caller = {
      userId: organization.id('ann'),
      email: 'Ann@example.com',
      role: 'administrator',
      botType: null,
      botOwnerId: null,
    };
    const { url } = organization.cluster.getProcess('messages', 0);
    const identity = signIdentity(organization.cluster.settings.internalSecret, ann, {
      requestId: 'e'.repeat(32),
      nowMs: Date.now(),
    });
    await whileLocked('message_flags', async () => {
      const leaving = new AbortController();
      const request = fetch(`${url}/api/v1/messages?anchor=newest&num_before=1&num_after=0`, {
        headers: { [identityHeaderName]: identity },
        signal: leaving.signal,
      });
      await waitUntil('it waits', async () => (await countWaiting('message_flags')) === 1);
      leaving.abort();
      await expect(request).rejects.toThrow();
      await waitUntil('nothing waits', async () => (await countWaiting('message_flags')) === 0);
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
        async () => (await countWaiting('message_flags')) === 2 * connectionsMax,
      );
      leaving.abort();
      for (const { status } of await Promise.allSettled(requests)) expect(status).toBe('rejected');
      for (let n = 0; n < 2 * connectionsMax; n += 1)
        await organization.client('bob').get('users/me/alert_words');
    });
    expect((await organization.client('ann').get('messages', page))['messages']).toHaveLength(1);
  });
});

test('a read that exceeds its time limit is not repeated elsewhere, and ends', async () => {
  await whileLocked('message_flags', async () => {
    let refusal: unknown;
    const request = refusalOf(organization.client('ann').get('messages', page)).then((body) => {
      refusal = body;
    });
    let waitingMost = 0;
    await waitUntil('it is answered', async () => {
      waitingMost = Math.max(waitingMost, await countWaiting('message_flags'));
      return refusal !== undefined;
    });
    await request;
    expect(refusal).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(waitingMost).toBe(1);
    await waitUntil('nothing waits', async () => (await countWaiting('message_flags')) === 0);
  });
});
