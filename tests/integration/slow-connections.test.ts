/** A Postgres that accepts connections and says nothing for a while. */
import { systemClock } from '@parley/clock';
import { createPool } from '@parley/database';
import { FaultProxy, getTestStores, waitUntil } from '@parley/test-kit';
import { expect, test } from 'vitest';

const requestsMax = 20;

test('no request waits for it, and the connection that it opens late is kept', async () => {
  const { databaseUrl } = getTestStores();
  await using proxy = await FaultProxy.start(databaseUrl);
  const silence = proxy.holdBack('to-client');
  const pool = createPool({
    databaseUrl: proxy.through(databaseUrl),
    clock: systemClock,
    applicationName: 'test',
    connectionsMax: 1,
    connectTimeoutMs: 50,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
  const fail = async (): Promise<void> =>
    expect(pool.query('SELECT 1')).rejects.toThrow('timeout exceeded');
  // Attempts are cut off until one gets more time than so many requests.
  for (let requests = 0; requests < requestsMax; requests += 1) {
    const { openedCount } = proxy;
    await fail();
    if (proxy.openedCount > openedCount) requests = 0;
  }
  const { openedCount } = proxy;
  expect(pool.waitingCount).toBe(0);
  silence.release();
  await waitUntil('it is connected', () => Promise.resolve(pool.idleCount === 1));
  await pool.query('SELECT 1');
  expect(proxy.openedCount).toBe(openedCount);
  await pool.end();
});

test('a pool that is closed does not wait for it', async () => {
  const { databaseUrl } = getTestStores();
  await using proxy = await FaultProxy.start(databaseUrl);
  proxy.holdBack('to-client');
  const pool = createPool({
    databaseUrl: proxy.through(databaseUrl),
    clock: systemClock,
    applicationName: 'test',
    connectionsMax: 1,
    connectTimeoutMs: 300_000,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
  const asked = Promise.allSettled([pool.query('SELECT 1')]);
  await waitUntil('it is asked', () => Promise.resolve(proxy.openedCount === 1));
  await pool.end();
  expect(await asked).toMatchObject([{ status: 'rejected' }]);
});
