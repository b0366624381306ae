import { waitUntil } from '@parley/test-kit';
import type { TestOrganization } from '@parley/test-kit';

import { Latencies } from '../latencies.ts';
import type { LatencySummary } from '../latencies.ts';
import type { LoadSystem } from '../load-system.ts';
import { makePeople } from '../make-people.ts';

export type AudienceResult = {
  readonly subscribers: number;
  readonly sends: number;
  readonly rows_per_send: number;
  readonly rows_by_table: Readonly<Record<string, number>>;
  readonly wal_bytes_per_send: number;
  readonly send: LatencySummary;
};

// Written whether or not anybody sends.
const unrelatedTables = ['service_leases', 'event_queues'];
// An idle session of Postgres reports its last counts after ten seconds.
const countsSettleMs = 11_000;
const countsDeadlineMs = 90_000;

type Counters = {
  readonly rows: Readonly<Record<string, number>>;
  readonly walBytes: number;
};

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
  const walBytes = (await readCounters(organization)).walBytes - before.walBytes;
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
async function readSettledCounters(organization: TestOrganization): Promise<Counters> {
  let last = await readCounters(organization);
  let unchangedSince = performance.now();
  return waitUntil(
    'the counts of written rows have settled',
    async () => {
      const now = await readCounters(organization);
      if (JSON.stringify(now.rows) !== JSON.stringify(last.rows)) {
        last = now;
        unchangedSince = performance.now();
      }
      return performance.now() - unchangedSince > countsSettleMs ? now : undefined;
    },
    { deadlineMs: countsDeadlineMs, pauseMs: 500 },
  );
}

async function readCounters(organization: TestOrganization): Promise<Counters> {
  const { pool } = organization.maker;
  const tables = await pool.query<{ name: string; rows: number }>({
    // Partitions of the log count as one table.
    text: `SELECT regexp_replace(relname, '_from_[0-9]+$', '') AS name,
        sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint AS rows
      FROM pg_stat_user_tables WHERE relname <> ALL ($1) GROUP BY 1 ORDER BY 1`,
    values: [unrelatedTables],
  });
  const wal = await pool.query<{ bytes: number }>({
    text: "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS bytes",
  });
  return {
    rows: Object.fromEntries(tables.rows.map(({ name, rows }) => [name, rows])),
    walBytes: wal.rows[0]?.bytes ?? 0,
  };
}
