/** Leases and their reader on a real Postgres. */
import { EventEmitter } from 'node:events';

import { MovedClock } from '@parley/clock';
import { createPool } from '@parley/database';
import type { Pool, Queryable } from '@parley/database';
import { accountsChannel, leasesChannel } from '../src/redis/index.ts';
import { createTestDatabase, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { LiveServices, ServiceLease } from '../src/placement/index.ts';
import { readLeasesAndAccountChanges, renewLease } from '../src/placement/leases-table.ts';

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

type Node = Parameters<typeof renewLease>[1];

let clock: MovedClock;
let database: TestDatabase;
let pool: Pool;
let hints: Hints;
let live: LiveServices;
const leases: ServiceLease[] = [];
const readers: LiveServices[] = [];

beforeEach(async () => {
  clock = new MovedClock();
  database = await createTestDatabase();
  pool = openTestPool(2);
  hints = new Hints();
  live = await startReader();
});

afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.end();
  for (const reader of readers.splice(0)) await reader.stop();
  await pool.end();
  await database.drop();
});

function openTestPool(connectionsMax: number): Pool {
  return createPool({
    databaseUrl: database.url,
    clock,
    applicationName: 'parley tests',
    connectionsMax,
    connectTimeoutMs: 0,
    statementTimeoutMs: 0,
    onError: () => undefined,
  });
}

/** Starts a reader that hears the hints. */
async function startReader(
  databaseUrl = database.url,
  subscriber: Hints = hints,
): Promise<LiveServices> {
  const reader = new LiveServices({ clock, databaseUrl, subscriber, keyPrefix: 'p', log });
  readers.push(reader);
  await reader.start();
  return reader;
}

/** Moves the time; after each timer, leases are renewed and read. */
async function advance(ms: number): Promise<void> {
  await clock.advance(ms, async () => {
    await Promise.all(leases.map((lease) => lease.settle()));
    await live.settle();
  });
}

function leaseOf(nodeId: string, isCurrent?: () => boolean, store: Queryable = pool): ServiceLease {
  const lease = new ServiceLease({
    clock,
    database: store,
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
  await clock.advance(299);
  expect(liveIds()).toEqual([]);
  await clock.advance(1);
  await waitUntil('it is known', () => liveIds().length === 1);
});

it('is settled when nothing has changed since it was asked before', async () => {
  expect(await live.settle()).toBe(true);
  await leaseOf('one').start();
  expect([await live.settle(), liveIds()]).toEqual([false, ['one']]);
  expect(await live.settle()).toBe(true);
  await pool.query('INSERT INTO account_changes VALUES (5, 1)');
  expect(await live.settle()).toBe(false);
  expect(await live.settle()).toBe(true);
});

it('is settled when it is not being renewed', async () => {
  const renewals: PromiseWithResolvers<unknown>[] = [];
  const query = (): Promise<unknown> => {
    const renewal = Promise.withResolvers<unknown>();
    renewals.push(renewal);
    return renewal.promise;
  };
  const lease = leaseOf('one', undefined, { query } as unknown as Queryable);
  const started = lease.start();
  renewals[0]?.resolve(undefined);
  await started;
  expect(await lease.settle()).toBe(true);
  await clock.advance(1_000);
  const settled = lease.settle();
  renewals[1]?.resolve(undefined);
  expect([await settled, await lease.settle(), renewals.length]).toEqual([false, true, 2]);
  const ended = lease.end();
  await expect.poll(() => renewals.length).toBe(3);
  renewals[2]?.resolve(undefined);
  await ended;
});

it('is renewed again at once after a renewal that took longer than its interval', async () => {
  const begun = Promise.withResolvers<undefined>();
  const goOn = Promise.withResolvers<undefined>();
  const lease = leaseOf('one', undefined, {
    query: async (...given: Parameters<Queryable['query']>) => {
      const answersLate = clock.elapsedMs() === 1_000;
      const result = await pool.query(...given);
      if (answersLate) {
        begun.resolve(undefined);
        await goOn.promise;
      }
      return result;
    },
  });
  await lease.start();
  await clock.advance(1_000);
  await begun.promise;
  await clock.advance(6_000);
  goOn.resolve(undefined);
  for (let isSettled = false; !isSettled;) isSettled = await lease.settle();
  const { rows } = await pool.query<{ age: number }>(
    `SELECT extract(epoch FROM lapses_at - parley_now())::integer AS age FROM service_leases`,
  );
  expect(rows).toEqual([{ age: 4 }]);
});

it('is renewed only while the service is current, and is taken again when it is again', async () => {
  let isCurrent = true;
  await leaseOf('one', () => isCurrent).start();
  await advance(20_000);
  expect(live.stateOf('one')).toBe('live');
  isCurrent = false;
  await advance(3_999);
  expect(live.stateOf('one')).toBe('live');
  await advance(1);
  expect([live.stateOf('one'), liveIds()]).toEqual(['lapsed', []]);
  isCurrent = true;
  await advance(1_000);
  expect(live.stateOf('one')).toBe('live');
});

it('has never heard from a Postgres that is not there', async () => {
  const unreachable = await startReader('postgres://nobody@127.0.0.1:1/nothing', new Hints());
  expect(unreachable.heardWithinMs(60_000)).toBe(false);
});

it('keeps the last list while Postgres does not answer, and reports its age', async () => {
  await leaseOf('one').start();
  await live.settle();
  await pool.query('ALTER TABLE service_leases RENAME TO hidden_leases');
  await advance(999);
  expect(live.heardWithinMs(1_000)).toBe(true);
  await advance(1);
  expect(live.heardWithinMs(1_000)).toBe(false);
  expect(liveIds()).toEqual(['one']);
  await pool.query('ALTER TABLE hidden_leases RENAME TO service_leases');
  await advance(300);
  expect(live.heardWithinMs(1)).toBe(true);
  expect(liveIds()).toEqual(['one']);
});

it('gives nodes three seconds to renew their leases after an outage', async () => {
  await leaseOf('one', () => false).start();
  await leaseOf('two').start();
  await pool.query(
    `INSERT INTO service_leases (node_id, service, address, renewed_at, lapses_at)
     VALUES ('one', 'events', '127.0.0.1:3', parley_now(), parley_now() + interval '4 seconds')`,
  );
  await live.settle();
  expect(liveIds()).toEqual(['one', 'two']);
  await pool.query('ALTER TABLE service_leases RENAME TO hidden_leases');
  await advance(6_000);
  await pool.query('ALTER TABLE hidden_leases RENAME TO service_leases');
  await live.settle();
  await advance(2_999);
  expect(liveIds()).toEqual(['one', 'two']);
  await advance(1);
  expect([liveIds(), live.stateOf('one')]).toEqual([['two'], 'lapsed']);
});

it('reports every account change once, and none from before its start', async () => {
  await pool.query('INSERT INTO account_changes VALUES (5, 1)');
  const late = await startReader();
  const changes: number[][] = [];
  late.onAccountsChanged((userIds) => changes.push([...userIds].toSorted((a, b) => a - b)));
  await pool.query('INSERT INTO account_changes VALUES (6, 2), (6, 3), (7, 2)');
  hints.emit('message', leasesChannel('p'), 'any');
  await waitUntil('the changes are heard', () => changes.length > 0);
  await pool.query('INSERT INTO account_changes VALUES (8, 4)');
  await clock.advance(300);
  await waitUntil('the next is heard', () => changes.length > 1);
  expect(changes).toEqual([[2, 3], [4]]);
});

it('reads account changes at once after a hint', async () => {
  const changes: number[] = [];
  live.onAccountsChanged((userIds) => changes.push(...userIds));
  await pool.query('INSERT INTO account_changes VALUES (5, 7)');
  hints.emit('message', accountsChannel('p'), '');
  await waitUntil('the change is heard', () => changes.length > 0);
  expect(changes).toEqual([7]);
});

it('is renewed without waiting for the rows of others, which all were away for long', async () => {
  const [own, other] = ['own', 'other'].map((nodeId) => ({
    nodeId,
    service: 'events',
    address: `127.0.0.1:${nodeId.length}`,
  })) as [Node, Node];
  await renewLease(pool, own);
  await renewLease(pool, other);
  await clock.leap(120_000);
  const holding = await pool.connect();
  const connection = openTestPool(1);
  try {
    // Where it waited, it would be ended, and not wait for what the test does afterwards.
    await connection.query("SET lock_timeout = '1s'");
    await holding.query('BEGIN');
    await holding.query('SELECT FROM service_leases WHERE node_id = $1 FOR UPDATE', [other.nodeId]);
    await renewLease(connection, own);
    await holding.query('COMMIT');
    const { leases: found } = await readLeasesAndAccountChanges(pool, null);
    expect(found.map((lease) => [lease.node_id, lease.is_live])).toEqual([
      ['other', false],
      ['own', true],
    ]);
  } finally {
    holding.release();
    await connection.end();
  }
});
