/** Notices to owners of bots that send to missing or empty streams (reference facts, messages 3.5), on two replicas. */
import { systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests, keyNames } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import { FaultProxy, getTestStores, settle, waitUntil } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { fetchMessages, refusalOf, startMessageFixture } from './message-fixture.ts';
import type { Message, MessageFixture } from './message-fixture.ts';
import { expectRefusal, unknownStream } from './refusals.ts';

let all: MessageFixture;
let proxy: FaultProxy;
let redis: Redis;
let secretId: number;
beforeAll(async () => {
  const { redisUrl } = getTestStores();
  proxy = await FaultProxy.start(redisUrl);
  all = await startMessageFixture({ messages: 2, redisUrl: proxy.through(redisUrl) });
  const { organization, ann, bob, cluster } = all;
  redis = connectForRequests(
    { url: new Secret(redisUrl), prefix: cluster.settings.redisPrefix, commandTimeoutMs: 5_000 },
    createLogger({ service: 'test', nodeId: 'test', level: 'silent' }),
    systemClock,
  );
  await organization.makeStream('Denmark', [ann, bob]);
  await organization.makeStream('empty `room`', []);
  secretId = (await organization.makeStream('secret', [ann], { inviteOnly: true })).id;
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

/** @returns the notices that an owner has got when all has happened */
async function noticesTo(owner: TestAccount): Promise<readonly Message[]> {
  await settle();
  const { messages } = await fetchMessages(owner, { narrow: [['is', 'private']] });
  return messages;
}

const send = (bot: TestAccount, to: unknown): Promise<unknown> =>
  bot.client.post('messages', { type: 'stream', to, topic: 'x', content: 'x' });

test('a send to a missing stream is refused, and the owner gets one notice a minute', async () => {
  const { owner, bot } = await makeBot('Missing');
  const missing = 'nowhere @**all**';
  await Promise.all(
    Array.from({ length: 10 }, () => expectRefusal(send(bot, missing), unknownStream(missing))),
  );
  const expected =
    'Your bot `missing.bot@example.com` tried to send a message to stream `nowhere @**all**`, ' +
    'but that stream does not exist. Click [here](#streams/new) to create it.';
  expect(await noticesTo(owner)).toMatchObject([
    { content: expected, sender_full_name: 'Notification Bot', client: 'Internal', flags: [] },
  ]);
  const other = await makeBot('Other');
  await refusalOf(send(other.bot, [987_654]));
  expect((await noticesTo(other.owner)).map(({ content }) => content)).toEqual([
    expect.stringContaining('to the stream with the id `987654`, but that stream does not exist.'),
  ]);
  // The minute ends when its key expires.
  const key = keyNames(all.cluster.settings.redisPrefix, redis).botOwnerNotice(bot.id);
  const remainingMs = await redis.pttl(key);
  expect(remainingMs).toBeGreaterThan(0);
  expect(remainingMs).toBeLessThanOrEqual(60_000);
  await redis.del(key);
  await refusalOf(send(bot, ' else-where '));
  expect((await noticesTo(owner))[1]?.['content']).toBe(
    'Your bot `missing.bot@example.com` tried to send a message to stream #**else-where**, ' +
      'but that stream does not exist. Click [here](#streams/new) to create it.',
  );
});

test('a send to a stream without subscribers succeeds, and the owner gets a notice', async () => {
  const { owner, bot } = await makeBot('Lonely');
  await send(bot, 'Denmark');
  await send(bot, 'EMPTY `room`');
  const [notice] = await noticesTo(owner);
  expect(notice?.['content']).toBe(
    'Your bot `lonely.bot@example.com` sent a message to stream [`` empty `room` ``](#narrow/stream/2-empty-.60room.60), which exists but has no subscribers.',
  );
});

test('a notice about a private stream is the same as about a missing one', async () => {
  const { owner, bot } = await makeBot('Curious');
  expect(await refusalOf(send(bot, [secretId]))).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST' });
  const found = await noticesTo(owner);
  expect(found.map((notice) => notice['content'])).toEqual([
    `Your bot \`curious.bot@example.com\` tried to send a message to the stream with the id \`${secretId}\`, but that stream does not exist.`,
  ]);
  const other = await makeBot('Nosy');
  await expectRefusal(send(other.bot, 'SECRET'), unknownStream('SECRET'));
  expect((await noticesTo(other.owner))[0]?.['content']).toBe(
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
  for (const account of [cat, gone.bot])
    await expectRefusal(send(account, 'nowhere'), unknownStream('nowhere'));
  await send(guestly.bot, 'empty `room`');
  await settle();
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
  const refusal = unknownStream('nowhere');
  try {
    await expectRefusal(send(bot, 'nowhere'), refusal);
    await held.caught;
    await expectRefusal(send(bot, 'nowhere'), refusal);
    expect(await send(bot, 'empty `room`')).toMatchObject({ result: 'success' });
    proxy.refuse(true);
    proxy.cut();
    await expectRefusal(send(bot, 'nowhere'), refusal);
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
