/**
 * Idle queues end after their lifetime, but not soon after an outage of Postgres, so that their clients find them again; polled queues stay, and a
 * poll without events gets a heartbeat.
 */
import { FaultProxy, createTestDatabase, readObjects, settle, waitUntil } from '@parley/test-kit';
import type { JsonObject, TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { anyNumber } from '../support/matchers.ts';
import { movedClockOf } from '../support/moved-clock.ts';

const sweepIntervalMs = 10_000;
/** When a held poll is answered with a heartbeat. */
const heartbeatMs = { min: 45_000, max: 55_000 };
/** The time moves in steps of so much, so what is due comes by so much later. */
const timeStepMs = 1_000;

/** How long no idle queue ends after an outage. */
const graceMs = 20_000;

let database: TestDatabase;
let proxy: FaultProxy;
let organization: SmallOrganization;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await FaultProxy.start(database.url);
  organization = await startSmallOrganization({
    events: 1,
    messages: 1,
    databaseUrl: database.url,
    environment: { PARLEY_QUEUE_OUTAGE_GRACE_SECS: String(graceMs / 1_000) },
    serviceEnvironment: { events: { DATABASE_URL: proxy.through(database.url) } },
  });
});
afterAll(async () => {
  await organization?.stop();
  await proxy?.stop();
  await database?.drop();
});

type Queue = { readonly id: string; readonly lastEventId: number };

async function register(who: PersonKey, parameters: object): Promise<Queue> {
  const answer = await organization
    .client(who)
    .post('register', { fetch_event_types: [], ...parameters });
  return { id: answer['queue_id'] as string, lastEventId: answer['last_event_id'] as number };
}

async function isThere({ id }: Queue): Promise<boolean> {
  const { rowCount } = await organization.pool.query({
    text: 'SELECT FROM event_queues WHERE queue_id = $1',
    values: [id],
  });
  return rowCount === 1;
}

type HeldPoll = { answer: readonly JsonObject[] | undefined; readonly ended: Promise<void> };

/** Polls, and waits until the server holds the poll or has answered it. */
async function poll(who: PersonKey, { id, lastEventId }: Queue): Promise<HeldPoll> {
  const request = organization
    .client(who)
    .get('events', { queue_id: id, last_event_id: lastEventId });
  const held: HeldPoll = {
    answer: undefined,
    ended: request.then((body) => {
      held.answer = readObjects(body, 'events');
    }),
  };
  await settle();
  return held;
}

/** Moves the log on, so that a heartbeat has an id. */
async function moveLogOn(word: string): Promise<void> {
  await organization.client('bob').post('users/me/alert_words', { alert_words: [word] });
}

test('an idle queue ends after its lifetime and a part of it, and one with a held poll stays', async () => {
  const { cluster } = organization;
  // Idleness counts from the first sweep of a node at the earliest.
  await cluster.advance(sweepIntervalMs);
  const lifetime = { event_types: ['message'], queue_lifespan_secs: 20 };
  const idle = await register('ann', lifetime);
  const polled = await register('ann', lifetime);
  const held = await poll('ann', polled);
  await cluster.advance(24_000);
  expect([await isThere(idle), await isThere(polled)]).toEqual([true, true]);
  await cluster.advance(sweepIntervalMs);
  expect([await isThere(idle), await isThere(polled)]).toEqual([false, true]);
  const { status, body } = await organization.client('ann').request('GET', 'events', {
    queue_id: idle.id,
    last_event_id: idle.lastEventId,
  });
  expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'BAD_EVENT_QUEUE_ID' });
  await organization.client('bob').sendPrivately(['ann@example.com'], 'still there');
  await held.ended;
  expect(held.answer).toMatchObject([{ type: 'message' }]);
});

test('a poll without events is answered with a heartbeat, again and again', async () => {
  const { cluster } = organization;
  const queue = await register('ann', { event_types: ['message'] });
  let { lastEventId } = queue;
  await moveLogOn('first');
  for (let round = 0; round < 2; round += 1) {
    const held = await poll('ann', { ...queue, lastEventId });
    await cluster.advance(heartbeatMs.min - timeStepMs);
    expect(held.answer).toBeUndefined();
    await cluster.advance(heartbeatMs.max - heartbeatMs.min + 2 * timeStepMs);
    expect(held.answer).toEqual([{ type: 'heartbeat', id: anyNumber }]);
    const id = Number(held.answer?.[0]?.['id']);
    // In the second round the log of a silent organization has moved on by itself.
    expect(id).toBeGreaterThan(lastEventId);
    lastEventId = id;
  }
});

test.each([
  ['no event type', { event_types: [] }] as const,
  ['a narrow', { narrow: ['stream', 'nowhere'] }] as const,
])('a heartbeat is no event: it comes with %s, and is not read again', async (what, parameters) => {
  const queue = await register('cat', parameters);
  await moveLogOn(what);
  const held = await poll('cat', queue);
  await organization.cluster.advance(heartbeatMs.max + timeStepMs);
  expect(held.answer).toEqual([{ type: 'heartbeat', id: anyNumber }]);
  const answer = await organization.client('cat').get('events', {
    queue_id: queue.id,
    last_event_id: queue.lastEventId,
    dont_block: true,
  });
  expect(answer['events']).toEqual([]);
});

test('no idle queue ends before the grace after an outage is over, and then it does', async () => {
  const { cluster } = organization;
  const clock = movedClockOf(cluster);
  const node = cluster.getProcess('events', 0);
  const queue = await register('ann', { queue_lifespan_secs: 1 });
  const isReady = async (): Promise<boolean> =>
    (await fetch(`${node.internalUrl}/health/ready`)).ok;
  proxy.refuse(true);
  proxy.cut();
  await waitUntil('the node has lost Postgres', async () => {
    await clock.advance(20);
    const hasNoticed = node.output.some((line) =>
      line.includes('the head of the log could not be read'),
    );
    return hasNoticed && !(await isReady());
  });
  proxy.refuse(false);
  const returnedAtMs = clock.elapsedMs();
  await waitUntil('the node is back', async () => {
    await clock.advance(20);
    return isReady();
  });
  await cluster.advance(returnedAtMs + graceMs - clock.elapsedMs());
  expect(await isThere(queue)).toBe(true);
  await cluster.advance(3 * sweepIntervalMs);
  expect(await isThere(queue)).toBe(false);
});
