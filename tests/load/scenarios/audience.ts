import { waitUntil } from '@parley/test-kit';
import type { TestOrganization } from '@parley/test-kit';

import { Latencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import type { LoadSystem } from '../load-system.ts';
import { makePeople } from '../make-people.ts';
import { readWriteCounters } from '../write-counters.ts';
import type { WriteCounters } from '../write-counters.ts';

export type AudienceResult = {
  readonly subscribers: number;
  readonly sends: number;
  readonly rows_per_send: number;
  readonly rows_by_table: Readonly<Record<string, number>>;
  readonly wal_bytes_per_send: number;
  readonly send: LatencySummary;
};

// An idle session of Postgres reports its last counts after ten seconds.
const countsSettleMs = 11_000;
const countsDeadlineMs = 90_000;

/**
 * Sends to a stream with so many subscribers, and counts what a send writes: rows by Postgres' own statistics, and bytes of its
 * log. The cost must not grow with the audience (design, property 4).
 *
 * @throws Error for a system that is not the generator's own
 */
export async function measureAudience(
  system: LoadSystem,
  subscribers: number,
  sends: number,
): Promise<AudienceResult> {
  const { organization } = system;
  if (organization === undefined)
    throw new Error('the audience scenario needs a system of its own: leave out --url');
  const sender = await organization.makeAccount(`Sender to ${subscribers}`);
  const stream = await organization.makeStream(`audience of ${subscribers}`, [sender]);
  await organization.maker.subscribe(
    stream.id,
    await makePeople(organization, subscribers - 1, `to ${subscribers}`),
  );
  // The first send to a topic makes its conversation, which is no part of what a send costs.
  await sender.client.sendToStream(stream.name, 'topic', 'first');

  const before = await readSettledCounters(organization);
  const latencies = new Latencies();
  for (let n = 0; n < sends; n += 1) {
    const startedAt = performance.now();
    await sender.client.sendToStream(stream.name, 'topic', `message ${n}`);
    latencies.recordSince(startedAt);
  }
  const walBytes = (await readWriteCounters(organization.maker.pool)).walBytes - before.walBytes;
  const after = await readSettledCounters(organization);
  const rowsByTable = Object.fromEntries(
    Object.entries(after.rows)
      .map(([table, rows]) => [table, (rows - (before.rows[table] ?? 0)) / sends] as const)
      .filter(([, rows]) => rows > 0),
  );
  const rows = Object.values(rowsByTable).reduce((sum, count) => sum + count, 0);
  return {
    subscribers,
    sends,
    rows_per_send: Math.round(rows * 100) / 100,
    rows_by_table: rowsByTable,
    wal_bytes_per_send: Math.round(walBytes / sends),
    send: latencies.summarize(),
  };
}

/** Reads the counters when they have not changed for so long that no session holds any back. */
async function readSettledCounters(organization: TestOrganization): Promise<WriteCounters> {
  let last = await readWriteCounters(organization.maker.pool);
  let unchangedSince = performance.now();
  return waitUntil(
    'the counts of written rows have settled',
    async () => {
      const now = await readWriteCounters(organization.maker.pool);
      if (JSON.stringify(now.rows) !== JSON.stringify(last.rows)) {
        last = now;
        unchangedSince = performance.now();
      }
      return performance.now() - unchangedSince > countsSettleMs ? now : undefined;
    },
    { deadlineMs: countsDeadlineMs, pauseMs: 500 },
  );
}
