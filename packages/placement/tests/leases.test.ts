/** Leases and their reader on a real Postgres. */
import { EventEmitter } from 'node:events';

import type { Pool } from '@parley/database';
import { accountsChannel, leasesChannel } from '@parley/redis';
import { createTestDatabase, openTestPool, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { LiveServices, ServiceLease } from '../src/index.ts';

const log = { warn: () => undefined, info: () => undefined };

/** Stands for Redis: what is published is heard, unless the test cuts it off. */
class Hints extends EventEmitter {
  readonly published: string[] = [];
  readonly subscribed: string[][] = [];

  subscribe(...channels: string[]): Promise<void> {
    this.subscribed.push(channels);
    return Promise.resolve();
  }

  publish(channel: string, message: string): Promise<void> {
    this.published.push(message);
    this.emit('message', channel, message);
    return Promise.resolve();
  }
}

let database: TestDatabase;
let pool: Pool;
let hints: Hints;
let live: LiveServices;
const leases: ServiceLease[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, 2);
  hints = new Hints();
  live = new LiveServices({ databaseUrl: database.url, subscriber: hints, keyPrefix: 'p', log });
  await live.start();
});

afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.end();
  await live.stop();
  await pool.end();
  await database.drop();
});

function leaseOf(nodeId: string, isCurrent?: () => boolean): ServiceLease {
  const lease = new ServiceLease({
    database: pool,
    redis: hints,
    keyPrefix: 'p',
    service: 'events',
    nodeId,
    address: `127.0.0.1:${nodeId.length}`,
    log,
    ...(isCurrent === undefined ? {} : { isCurrent }),
  });
  leases.push(lease);
  return lease;
}

const liveIds = (): string[] => live.nodes('events').map((node) => node.nodeId);

it('subscribes at its start and on each new connection', () => {
  hints.emit('ready');
  const channels = [leasesChannel('p'), accountsChannel('p')];
  expect(hints.subscribed).toEqual([channels, channels]);
});

it('announces new leases and those that are given up', async () => {
  expect(liveIds()).toEqual([]);
  const one = leaseOf('one');
  await one.start();
  await leaseOf('two').start();
  await waitUntil('both are known', () => liveIds().length === 2);
  expect(live.nodes('events')[0]).toEqual({
    nodeId: 'one',
    service: 'events',
    address: '127.0.0.1:3',
  });
  expect(live.nodes('messages')).toEqual([]);
  await one.end();
  await waitUntil('one is gone', () => live.stateOf('one') === 'gone');
  expect(liveIds()).toEqual(['two']);
  expect(hints.published).toEqual(['one', 'two', 'one']);
});

it('learns of leases without hints', async () => {
  hints.removeAllListeners();
  await leaseOf('one').start();
  await waitUntil('it is known', () => liveIds().length === 1);
});

it('is renewed only while the service is current, and is taken again when it is again', async () => {
  let isCurrent = true;
  await leaseOf('one', () => isCurrent).start();
  await waitUntil('it is live', () => live.stateOf('one') === 'live');
  isCurrent = false;
  await waitUntil('it has lapsed', () => live.stateOf('one') === 'lapsed', { deadlineMs: 20_000 });
  expect(liveIds()).toEqual([]);
  isCurrent = true;
  await waitUntil('it is live again', () => live.stateOf('one') === 'live');
});

it('keeps the last list while Postgres does not answer, and reports its age', async () => {
  await leaseOf('one').start();
  await waitUntil('it is known', () => liveIds().length === 1);
  const unreachable = new LiveServices({
    databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing',
    subscriber: new Hints(),
    keyPrefix: 'p',
    log,
  });
  await unreachable.start();
  expect(unreachable.heardWithinMs(60_000)).toBe(false);
  await unreachable.stop();
  expect(live.heardWithinMs(60_000)).toBe(true);
  await pool.query('ALTER TABLE service_leases RENAME TO hidden_leases');
  await waitUntil('it is heard no more', () => !live.heardWithinMs(1_000));
  expect(liveIds()).toEqual(['one']);
  await pool.query('ALTER TABLE hidden_leases RENAME TO service_leases');
  await waitUntil('it is heard again', () => live.heardWithinMs(1_000));
  expect(liveIds()).toEqual(['one']);
});

it('reports every account change once, and none from before its start', async () => {
  await pool.query('INSERT INTO account_changes VALUES (5, 1)');
  const late = new LiveServices({
    databaseUrl: database.url,
    subscriber: hints,
    keyPrefix: 'p',
    log,
  });
  await late.start();
  const changes: number[][] = [];
  late.onAccountsChanged((userIds) => changes.push([...userIds].toSorted((a, b) => a - b)));
  await pool.query('INSERT INTO account_changes VALUES (6, 2), (6, 3), (7, 2)');
  hints.emit('message', leasesChannel('p'), 'any');
  await waitUntil('the changes are heard', () => changes.length > 0);
  await pool.query('INSERT INTO account_changes VALUES (8, 4)');
  await waitUntil('the next is heard', () => changes.length > 1);
  expect(changes).toEqual([[2, 3], [4]]);
  await late.stop();
});

it('reads account changes at once after a hint', async () => {
  // No time passes for what reads again and again.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const listener = new LiveServices({
    databaseUrl: database.url,
    subscriber: hints,
    keyPrefix: 'p',
    log,
  });
  try {
    await listener.start();
    const changes: number[] = [];
    listener.onAccountsChanged((userIds) => changes.push(...userIds));
    await pool.query('INSERT INTO account_changes VALUES (5, 7)');
    hints.emit('message', accountsChannel('p'), '');
    await waitUntil('the change is heard', () => changes.length > 0);
    expect(changes).toEqual([7]);
  } finally {
    vi.useRealTimers();
    await listener.stop();
  }
});
