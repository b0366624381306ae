/** After an outage of Postgres, idle queues are kept for a while, so that their clients find them again. */
import { FaultProxy, createTestDatabase, waitUntil } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { SmallOrganization } from '../api/small-organization.ts';

const graceSecs = 20;

let database: TestDatabase;
let proxy: FaultProxy;
let organization: SmallOrganization;
beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await FaultProxy.start(database.url);
  organization = await startSmallOrganization({
    events: 1,
    databaseUrl: database.url,
    environment: { PARLEY_QUEUE_OUTAGE_GRACE_SECS: String(graceSecs) },
    serviceEnvironment: { events: { DATABASE_URL: proxy.through(database.url) } },
  });
});
afterAll(async () => {
  await organization?.stop();
  await proxy?.stop();
  await database?.drop();
});

test(
  'no idle queue ends before the grace after an outage is over, and then it does',
  { timeout: 180_000 },
  async () => {
    const ann = organization.client('ann');
    const node = organization.cluster.getProcess('events', 0);
    const answer = await ann.post('register', { fetch_event_types: [], queue_lifespan_secs: 1 });
    const queueId = answer['queue_id'] as string;
    const isThere = async (): Promise<boolean> => {
      const { rowCount } = await organization.pool.query({
        text: 'SELECT FROM event_queues WHERE queue_id = $1',
        values: [queueId],
      });
      return rowCount === 1;
    };
    const isReady = async (): Promise<boolean> =>
      (await fetch(`${node.internalUrl}/health/ready`)).ok;
    proxy.refuse(true);
    proxy.cut();
    const hasNoticed = (): boolean =>
      node.output.some((line) => line.includes('the head of the log could not be read'));
    await waitUntil('the node has lost Postgres', async () => hasNoticed() && !(await isReady()), {
      deadlineMs: 60_000,
    });
    const returnedAtMs = Date.now();
    proxy.refuse(false);
    await waitUntil('the node is back', isReady, { deadlineMs: 60_000 });
    expect(await isThere()).toBe(true);
    await waitUntil('the queue has ended', async () => !(await isThere()), {
      deadlineMs: 120_000,
    });
    expect(Date.now() - returnedAtMs).toBeGreaterThanOrEqual(graceSecs * 1_000);
  },
);
