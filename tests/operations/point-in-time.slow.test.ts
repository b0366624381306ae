/**
 * Restoring to a point in time: the log opens a new epoch by itself. Queues that had events from the lost period are refused with a
 * code, all others continue, and no id is used twice.
 */
import { migrate } from '@parley/database/migrate';
import { readObjects, serviceNames } from '@parley/test-kit';
import type { Answer } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { ArchivedPostgres } from './archived-postgres.ts';

type Queue = { readonly who: PersonKey; readonly id: string; lastEventId: number };

let postgres: ArchivedPostgres;
let organization: SmallOrganization;

/** Registered before the point, without any events yet. */
let unreported: Queue;
/** Registered before the point, with all events up to it. */
let upToThePoint: Queue;
/** Registered before the point, with events from after it. */
let beyondThePoint: Queue;
/** Registered after the point. */
let tooYoung: Queue;

const kept: number[] = [];
const lost: number[] = [];

beforeAll(async () => {
  postgres = await ArchivedPostgres.start();
  await migrate(postgres.url);
  organization = await startSmallOrganization({
    ownProcesses: true,
    events: 2,
    messages: 1,
    databaseUrl: postgres.url,
  });
  await postgres.takeBaseBackup();

  await organization.client('ann').post('users/me/subscriptions', {
    subscriptions: [{ name: 'plans' }],
    principals: ['Ann@example.com', 'bob@example.com', 'cat@example.com'],
  });
  unreported = await register('bob');
  upToThePoint = await register('cat');
  beyondThePoint = await register('ann');
  for (let n = 0; n < 5; n += 1) kept.push(await send(`kept ${n}`));
  await organization
    .client('bob')
    .post('messages/flags', { messages: [kept[0]], op: 'add', flag: 'starred' });
  await contentsOf(upToThePoint);
  await postgres.markPoint('before the mistake');

  for (let n = 0; n < 5; n += 1) lost.push(await send(`lost ${n}`));
  await contentsOf(beyondThePoint);
  tooYoung = await register('gil');

  const { cluster } = organization;
  const counts = serviceNames.map((service) => [service, cluster.findProcesses(service).length]);
  for (const service of serviceNames)
    while (cluster.findProcesses(service).length > 0) await cluster.kill(service, 0);
  await postgres.loseAndRestore('before the mistake');
  for (const [service, count] of counts as [(typeof serviceNames)[number], number][])
    for (let n = 0; n < count; n += 1) await cluster.startAnother(service);
}, 300_000);
afterAll(async () => {
  await organization?.stop();
  await postgres?.stop();
});

async function register(who: PersonKey): Promise<Queue> {
  const answer = await organization.client(who).post('register', { event_types: ['message'] });
  return {
    who,
    id: answer['queue_id'] as string,
    lastEventId: answer['last_event_id'] as number,
  };
}

function poll({ who, id, lastEventId }: Queue): Promise<Answer> {
  return organization
    .client(who)
    .request('GET', 'events', { queue_id: id, last_event_id: lastEventId, dont_block: true });
}

/** Reads a queue, and returns the contents of the messages in this test's own topic. */
async function contentsOf(queue: Queue): Promise<unknown[]> {
  const answer = await poll(queue);
  expect(answer.status).toBe(200);
  const events = readObjects(answer.body, 'events');
  queue.lastEventId = (events.at(-1)?.['id'] as number | undefined) ?? queue.lastEventId;
  return events
    .map((event) => event['message'] as { subject: string; content: string })
    .filter(({ subject }) => subject === 'numbers')
    .map(({ content }) => content);
}

async function send(content: string): Promise<number> {
  const answer = await organization
    .client('ann')
    .post('messages', { type: 'stream', to: 'plans', topic: 'numbers', content });
  return answer['id'] as number;
}

const texts = (word: string): string[] => Array.from({ length: 5 }, (_, n) => `${word} ${n}`);

test('history ends at the recovery point', async () => {
  const { messages } = await organization.client('bob').get('messages', {
    anchor: kept[0],
    num_before: 0,
    num_after: 100,
    narrow: [
      ['stream', 'plans'],
      ['topic', 'numbers'],
    ],
    apply_markdown: false,
  });
  expect(messages).toMatchObject(kept.map((id, n) => ({ id, content: `kept ${n}` })));
  expect((messages as { flags: string[] }[])[0]?.flags).toContain('starred');
});

test('queues that saw lost entries, and queues registered later, are refused by code once the log continues', async () => {
  // The first change after the restoration opens the epoch; an idle log has one every 40 seconds.
  await organization
    .client('cat')
    .post('messages', { type: 'stream', to: 'plans', topic: 'first', content: 'back again' });
  for (const queue of [beyondThePoint, tooYoung])
    expect(await poll(queue)).toMatchObject({
      status: 400,
      body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: queue.id },
    });
});

test('all other queues continue, and get later events once and in order', async () => {
  expect(await contentsOf(unreported)).toEqual(texts('kept'));
  const sent: number[] = [];
  for (let n = 0; n < 5; n += 1) sent.push(await send(`new ${n}`));
  // No id is used twice, because clients may remember the lost ones.
  expect(Math.min(...sent)).toBeGreaterThan(Math.max(...lost));
  for (const queue of [unreported, upToThePoint])
    await expect.poll(() => contentsOf(queue)).toEqual(texts('new'));
});

test('refused clients register again and continue', async () => {
  const queue = await register('ann');
  await send('seen by all');
  await expect.poll(() => contentsOf(queue)).toEqual(['seen by all']);
});
