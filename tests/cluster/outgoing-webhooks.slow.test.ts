/** Calls of outgoing webhooks while the processes that make them die, with exact counts. */
import { FaultProxy, getTestStores, processOf, startTestRedis, waitUntil } from '@parley/test-kit';
import type { HeldBytes, ServiceNode, ServiceProcess } from '@parley/test-kit';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { OutgoingFixture } from '../api/outgoing-fixture.ts';
import type { OutgoingBot } from '../api/outgoing-fixture.ts';
import { json } from '../api/webhook-receiver.ts';

let fixture: OutgoingFixture;
let postgres: FaultProxy;
beforeAll(async () => {
  postgres = await FaultProxy.start(getTestStores().databaseUrl);
  fixture = await OutgoingFixture.start({ messages: 0, ownProcesses: true });
});
afterEach(async () => {
  // Only a test that failed leaves more than one, which would take part in the next.
  for (const left of fixture.all.cluster.findProcesses('messages').slice(0, -1)) await left.kill();
});
afterAll(async () => {
  await fixture.stop();
  await postgres.stop();
});

/** The only messages service, whose statements a test can hold back. */
async function startDoomed(): Promise<ServiceProcess> {
  const { cluster } = fixture.all;
  const started = await cluster.startAnother('messages', {
    DATABASE_URL: postgres.through(cluster.settings.databaseUrl),
  });
  return processOf(started);
}

/** The service of the test before goes on. */
async function findOrStart(): Promise<ServiceNode> {
  return fixture.all.cluster.findProcesses('messages').at(-1) ?? (await startDoomed());
}

/** A dead process' row is free at once, but BullMQ takes some seconds to notice that the worker of its job is gone. */
async function lapseClaims(): Promise<void> {
  const { pool } = fixture.all;
  await waitUntil('Postgres has done what the killed process asked for', async () => {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley side effects'`,
    );
    return rowCount === 0;
  });
  await pool.query(
    `UPDATE side_effects SET claimed_until = parley_now() WHERE claimed_until > parley_now()`,
  );
}

async function countSaid(bot: OutgoingBot): Promise<Record<string, number>> {
  const { rows } = await fixture.all.pool.query<{ content: string; count: number }>({
    text: 'SELECT content, count(*)::int AS count FROM messages WHERE sender_id = $1 GROUP BY content',
    values: [bot.id],
  });
  return Object.fromEntries(rows.map(({ content, count }) => [content, count]));
}

function deliveriesOf(path: string): Record<string, string[]> {
  const calls = fixture.receiver.at(path).map(({ headers, body }) => ({
    data: (JSON.parse(body) as { data: string }).data,
    key: String(headers['x-parley-delivery']),
  }));
  return Object.fromEntries(
    [...Map.groupBy(calls, ({ data }) => data)].map(([data, same]) => [
      data,
      same.map(({ key }) => key),
    ]),
  );
}

test('killed while a call waits for its answer: the call is repeated under its key, the reply comes once', async () => {
  const doomed = await findOrStart();
  let isDoomed = true;
  const bot = await fixture.makeBot(
    fixture.receiver.on('/during', (call, response, request) => {
      const { data } = JSON.parse(call.body) as { data: string };
      if (!isDoomed) json({ content: `reply to ${data.slice(-1)}` })(call, response, request);
    }),
  );
  for (const n of [1, 2, 3]) await fixture.send(`${bot.mention} ${n}`, 'during');
  await waitUntil('three calls wait', () => fixture.receiver.at('/during').length === 3);
  await doomed.kill('SIGKILL');
  isDoomed = false;
  await lapseClaims();
  await startDoomed();
  await fixture.settle();
  const deliveries = Object.values(deliveriesOf('/during'));
  expect(deliveries.map((keys) => [keys.length, new Set(keys).size])).toEqual([
    [2, 1],
    [2, 1],
    [2, 1],
  ]);
  expect(new Set(deliveries.flat()).size).toBe(3);
  expect(await countSaid(bot)).toEqual({ 'reply to 1': 1, 'reply to 2': 1, 'reply to 3': 1 });
});

// Each is a statement of the killed process that Postgres never receives, or receives without the process getting the outcome.
test.each([
  { place: 'before the calls became rows', statement: 'side-effects-add', calls: 1 },
  { place: 'before the row was claimed', statement: 'side-effect-claim-within-bounds', calls: 1 },
  { place: 'between the call and its record', statement: 'side-effect-progress', calls: 2 },
  {
    place: 'while the call was recorded',
    statement: 'side-effect-progress',
    calls: 1,
    arrives: true,
  },
  { place: 'between the record and the reply', statement: 'OutgoingWebhookResponse', calls: 1 },
  {
    place: 'while the reply was sent',
    statement: 'OutgoingWebhookResponse',
    calls: 1,
    arrives: true,
  },
  { place: 'between the reply and the end', statement: 'side-effect-remove-claimed', calls: 1 },
])('killed $place: $calls call(s), one reply', async ({ place, statement, calls, arrives }) => {
  const doomed = await findOrStart();
  const path = `/${place.replaceAll(' ', '-')}`;
  const bot = await fixture.makeBot(fixture.receiver.on(path, json({ content: 'the one reply' })));
  const held: HeldBytes = postgres.holdBack('to-server', (bytes) => bytes.includes(statement));
  await fixture.send(`${bot.mention} ${place}`, 'killed');
  await held.caught;
  await doomed.kill('SIGKILL');
  if (arrives !== true) postgres.cut();
  held.release();
  await lapseClaims();
  await startDoomed();
  await fixture.settle();
  const [keys = []] = Object.values(deliveriesOf(path));
  expect([keys.length, new Set(keys).size]).toEqual([calls, 1]);
  expect(await countSaid(bot)).toEqual({ 'the one reply': 1 });
});

test('the owner gets one notice even if the process dies after it', async () => {
  const doomed = await findOrStart();
  const { bob, pool } = fixture.all;
  const bot = await fixture.makeBot(fixture.receiver.on('/failing', json({}, 503)));
  const held = postgres.holdBack('to-server', (bytes) =>
    bytes.includes('side-effect-remove-claimed'),
  );
  await fixture.send(bot.mention, 'failing');
  await held.caught;
  await doomed.kill('SIGKILL');
  held.release();
  await lapseClaims();
  await startDoomed();
  await fixture.settle();
  expect(fixture.receiver.at('/failing')).toHaveLength(1);
  const { rows } = await pool.query<{ notices: number }>({
    text: `SELECT count(*)::int AS notices FROM messages m JOIN conversations c ON c.id = m.conversation_id
      WHERE m.sender_id = $1 AND c.participant_ids @> ARRAY[$2::integer]`,
    values: [bot.id, bob.id],
  });
  expect(rows).toEqual([{ notices: 1 }]);
  expect(Object.values(await countSaid(bot))).toEqual([1, 1]);
});

test('of two services one stops while calls wait: none is lost, and no failure is reported', async () => {
  const leaving = await findOrStart();
  let isFirst = true;
  const answered: string[] = [];
  const bot = await fixture.makeBot(
    fixture.receiver.on('/leaving', (call, response, request) => {
      if (isFirst) return;
      answered.push(String(call.headers['x-parley-delivery']));
      json({ content: 'reply' })(call, response, request);
    }),
  );
  for (let n = 0; n < 4; n += 1) await fixture.send(`${bot.mention} ${n}`, 'leaving');
  await waitUntil('four calls wait', () => fixture.receiver.at('/leaving').length === 4);
  await startDoomed();
  isFirst = false;
  await leaving.kill('SIGTERM');
  await fixture.settle();
  // A call that got no answer in its time is made again, so how often each was made depends on how long the second service took to start.
  const keys = Object.values(deliveriesOf('/leaving')).map((sent) => [...new Set(sent)]);
  expect(keys).toHaveLength(4);
  expect(answered.toSorted()).toEqual(keys.flat().toSorted());
  expect(await countSaid(bot)).toEqual({ reply: 4 });
});

test('Redis is killed and comes back empty while calls wait in it: each is made once', async () => {
  const redis = await startTestRedis();
  const proxy = await FaultProxy.start(redis.url);
  const own = await OutgoingFixture.start({ redisUrl: proxy.through(redis.url), messages: 2 });
  try {
    const bot = await own.makeBot(own.receiver.on('/redis', json({ content: 'reply' })));
    const sent: string[] = [];
    const send = async (from: number, to: number): Promise<void> => {
      for (let n = from; n < to; n += 1) {
        sent.push(`${bot.mention} ${n}`);
        await own.send(`${bot.mention} ${n}`, 'redis');
      }
    };
    await send(0, 20);
    await redis.kill();
    proxy.refuse(true);
    proxy.cut();
    await send(20, 40);
    await redis.startAgain();
    proxy.retarget(redis.url);
    proxy.refuse(false);
    await send(40, 50);
    await own.settle();
    const data = own.receiver
      .at('/redis')
      .map(({ body }) => (JSON.parse(body) as { data: string }).data);
    expect(data.toSorted()).toEqual(sent.toSorted());
    const { rows } = await own.all.pool.query<{ count: number }>({
      text: 'SELECT count(*)::int AS count FROM messages WHERE sender_id = $1',
      values: [bot.id],
    });
    expect(rows).toEqual([{ count: 50 }]);
  } finally {
    await own.stop();
    await proxy.stop();
    await redis.stop();
  }
});
