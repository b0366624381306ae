import { MovedClock } from '@parley/clock';
import type { Pool } from '@parley/database';
import { createLogger } from '@parley/telemetry/logging';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { ModelledLog } from '../../tests/modelled-log.ts';
import { NodeFeed } from '../feed/node-feed.ts';
import type { EventQueue } from './event-queue.ts';
import { QueueRegistry } from './queue-registry.ts';

const lifespanSecs = 600;
const stored = {
  queueId: '1:1',
  userId: 1,
  startPosition: 0,
  epoch: 1,
  descriptor: { eventTypes: null, narrow: [] },
  lifespanSecs,
  client: 'test',
  idleSecs: 0,
};

let clock: MovedClock;
let registry: QueueRegistry;
let queue: EventQueue | undefined;
let isAway: boolean;
/** The ids of the queues whose use was recorded. */
let recorded: unknown[];

beforeEach(async () => {
  clock = new MovedClock();
  isAway = false;
  recorded = [];
  const log = new ModelledLog();
  const feed = new NodeFeed({
    tail: { entriesMax: 100, bytesMax: 100_000 },
    deliveriesMax: 10,
    loadView: async (userId) => ({ view: log.viewOf(userId), exactAt: log.end }),
    findQueue: () => undefined,
    onUnreadableEntry: () => expect.unreachable('all entries can be read'),
  });
  feed.reset(0);
  const query = async ({
    name,
    values,
  }: {
    readonly name: string;
    readonly values: readonly unknown[];
  }): Promise<{ readonly rows: readonly unknown[] }> => {
    if (isAway) throw new Error('Postgres is away');
    if (name === 'store-touch-event-queues') recorded.push(...values);
    return { rows: [stored] };
  };
  registry = new QueueRegistry({
    clock,
    pool: { query } as unknown as Pool,
    feed,
    log: createLogger({ service: 'events', nodeId: 'test', level: 'silent' }),
  });
  queue = await registry.find(stored.queueId);
});

afterEach(() => registry.stop());

test('a stopped registry does nothing by itself', async () => {
  await registry.stop();
  expect(clock.nextInMs).toBeUndefined();
});

test('the use of a queue that is read is recorded after a tenth of its lifetime', async () => {
  queue?.take('poll');
  // Uses are looked at every half second.
  await clock.advance(60_499);
  expect(recorded).toEqual([]);
  await clock.advance(1);
  expect(recorded).toEqual([[stored.queueId]]);
  await clock.advance(60_500);
  expect(recorded).toEqual([[stored.queueId], [stored.queueId]]);
});

test('a use that could not be recorded is recorded next time', async () => {
  queue?.take('poll');
  isAway = true;
  await clock.advance(60_500);
  isAway = false;
  expect(recorded).toEqual([]);
  await clock.advance(500);
  expect(recorded).toEqual([[stored.queueId]]);
});

test('settling records a use that is due, without waiting for the next look', async () => {
  queue?.take('poll');
  await clock.advance(60_000);
  expect(await registry.settle()).toBe(true);
  await clock.advance(1);
  expect(await registry.settle()).toBe(false);
  expect(recorded).toEqual([[stored.queueId]]);
  expect(await registry.settle()).toBe(true);
});

test('a queue that nobody reads is forgotten when its lifetime is over, and not before', async () => {
  await clock.advance(lifespanSecs * 1_000 + 499);
  expect(registry.peek(stored.queueId)).toBe(queue);
  await clock.advance(1);
  expect(registry.size).toBe(0);
  expect(queue?.feed).toBeUndefined();
});
