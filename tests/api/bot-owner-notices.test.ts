/** Notices to owners of bots that send to missing or empty streams (reference facts, messages 3.5), on two replicas. */
import { Secret } from '@parley/config';
import { createLogger } from '@parley/logging';
import { connectForRequests, keyNames } from '@parley/redis';
import type { Redis } from '@parley/redis';
import { FaultProxy, getTestStores, waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import type { Message, MessageFixture } from './message-fixture.ts';

let all: MessageFixture;
let proxy: FaultProxy;
let redis: Redis;
beforeAll(async () => {
  const { redisUrl } = getTestStores();
  proxy = await FaultProxy.start(redisUrl);
  all = await startMessageFixture({ messages: 2, redisUrl: proxy.through(redisUrl) });
  const { organization, ann, bob, cluster } = all;
  redis = connectForRequests(
    { url: new Secret(redisUrl), prefix: cluster.settings.redisPrefix, commandTimeoutMs: 5_000 },
    createLogger({ service: 'test', nodeId: 'test', level: 'silent' }),
  );
  await organization.makeStream('Denmark', [ann, bob]);
  await organization.makeStream('empty `room`', []);
  await organization.makeStream('secret', [ann], { inviteOnly: true });
});
afterAll(async () => {
  redis.disconnect();
  await all.stop();
  await proxy.stop();
});

/** Creates an owner without messages, and the owner's bot. */
async function makeBot(name: string): Promise<{ owner: TestAccount; bot: TestAccount }> {
  const owner = await all.organization.makeAccount(`${name} Owner`);
  return { owner, bot: await all.organization.makeAccount(`${name} Bot`, { owner, botType: 1 }) };
}

async function notices(owner: TestAccount, count: number): Promise<readonly Message[]> {
  return waitUntil(`${count} notices`, async () => {
    const { messages } = await fetchMessages(owner, { narrow: [['is', 'private']] });
    return messages.length >= count ? messages : undefined;
  });
}

const send = (bot: TestAccount, to: unknown): Promise<unknown> =>
  bot.client.post('messages', { type: 'stream', to, topic: 'x', content: 'x' });

test('a send to a missing stream is refused, and the owner gets one notice a minute', async () => {
  const { owner, bot } = await makeBot('Missing');
  const refusals = await Promise.all(
    Array.from({ length: 10 }, () => refusalOf(send(bot, 'nowhere @**all**'))),
  );
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere @**all**' });
  }
  const expected =
    'Your bot `missing.bot@example.com` tried to send a message to stream `nowhere @**all**`, ' +
    'but that stream does not exist. Click [here](#streams/new) to create it.';
  const [notice] = await notices(owner, 1);
  expect(notice).toMatchObject({
    content: expected,
    sender_full_name: 'Notification Bot',
    client: 'Internal',
    flags: [],
  });
  // When another bot's notice arrives, further notices about the first bot would have arrived too.
  const other = await makeBot('Other');
  await refusalOf(send(other.bot, [987_654]));
  expect((await notices(other.owner, 1))[0]?.['content']).toContain(
    'to the stream with the id `987654`, but that stream does not exist.',
  );
  expect(await notices(owner, 1)).toHaveLength(1);
  // The minute ends when its key expires.
  const key = keyNames(all.cluster.settings.redisPrefix, redis).botOwnerNotice(bot.id);
  const remainingMs = await redis.pttl(key);
  expect(remainingMs).toBeGreaterThan(0);
  expect(remainingMs).toBeLessThanOrEqual(60_000);
  await redis.del(key);
  await refusalOf(send(bot, ' else-where '));
  expect((await notices(owner, 2))[1]?.['content']).toBe(
    'Your bot `missing.bot@example.com` tried to send a message to stream #**else-where**, ' +
      'but that stream does not exist. Click [here](#streams/new) to create it.',
  );
});

test('a send to a stream without subscribers succeeds, and the owner gets a notice', async () => {
  const { owner, bot } = await makeBot('Lonely');
  await send(bot, 'Denmark');
  await send(bot, 'EMPTY `room`');
  const [notice] = await notices(owner, 1);
  expect(notice?.['content']).toBe(
    'Your bot `lonely.bot@example.com` sent a message to stream [`` empty `room` ``](#narrow/stream/2-empty-.60room.60), which exists but has no subscribers.',
  );
});

test('a notice about a private stream is the same as about a missing one', async () => {
  const { owner, bot } = await makeBot('Curious');
  const { rows } = await all.pool.query<{ id: number }>({
    text: `SELECT id FROM streams WHERE name = 'secret'`,
  });
  const id = rows[0]?.id ?? 0;
  expect(await refusalOf(send(bot, [id]))).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
  const found = await notices(owner, 1);
  expect(found.map((notice) => notice['content'])).toEqual([
    `Your bot \`curious.bot@example.com\` tried to send a message to the stream with the id \`${id}\`, but that stream does not exist.`,
  ]);
  const other = await makeBot('Nosy');
  expect(await refusalOf(send(other.bot, 'SECRET'))).toMatchObject({
    code: 'STREAM_DOES_NOT_EXIST',
  });
  expect((await notices(other.owner, 1))[0]?.['content']).toBe(
    'Your bot `nosy.bot@example.com` tried to send a message to stream #**SECRET**, ' +
      'but that stream does not exist. Click [here](#streams/new) to create it.',
  );
});

test('people, bots of deactivated owners, and owners who are guests without access get no notice', async () => {
  const { cat, pool } = all;
  const gone = await makeBot('Gone');
  await pool.query('UPDATE users SET is_active = false WHERE id = $1', [gone.owner.id]);
  const guestly = await makeBot('Guestly');
  await pool.query(`UPDATE users SET role = 'guest' WHERE id = $1`, [guestly.owner.id]);
  expect(await refusalOf(send(cat, 'nowhere'))).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
  expect(await refusalOf(send(gone.bot, 'nowhere'))).toMatchObject({
    code: 'STREAM_DOES_NOT_EXIST',
  });
  await send(guestly.bot, 'empty `room`');
  // When this later notice arrives, theirs would have arrived too.
  const other = await makeBot('Later');
  await refusalOf(send(other.bot, 'nowhere'));
  await notices(other.owner, 1);
  const { rows } = await pool.query<{ sent: number }>({
    text: `SELECT count(*)::int AS sent FROM messages m JOIN conversations c ON c.id = m.conversation_id
      WHERE m.client = 'Internal' AND c.participant_ids && $1::int[]`,
    values: [[cat.id, gone.owner.id, guestly.owner.id]],
  });
  expect(rows).toEqual([{ sent: 0 }]);
});

test('a send is answered even while Redis delays the notice or is down', async () => {
  const { owner, bot } = await makeBot('Patient');
  const held = proxy.holdBack('to-server', (bytes) =>
    bytes.toString('latin1').includes('bot-owner-notice'),
  );
  const refusal = { code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere' };
  try {
    expect(await refusalOf(send(bot, 'nowhere'))).toMatchObject(refusal);
    await held.caught;
    expect(await refusalOf(send(bot, 'nowhere'))).toMatchObject(refusal);
    expect(await send(bot, 'empty `room`')).toMatchObject({ result: 'success' });
    proxy.refuse(true);
    proxy.cut();
    expect(await refusalOf(send(bot, 'nowhere'))).toMatchObject(refusal);
    expect(await send(bot, 'empty `room`')).toMatchObject({ result: 'success' });
  } finally {
    proxy.refuse(false);
    held.release();
  }
  // With Redis back, there are notices again.
  await waitUntil('a notice', async () => {
    await refusalOf(send(bot, 'nowhere'));
    return (await fetchMessages(owner, { narrow: [['is', 'private']] })).messages.length > 0;
  });
});
