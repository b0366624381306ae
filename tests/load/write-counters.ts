import type { Pool } from '@parley/database';

// Written whether or not anybody sends.
const unrelatedTables = ['service_leases', 'event_queues'];

/** Postgres' counters of writes. */
export type WriteCounters = {
  /** Of each table of the system; a table's partitions are added up. */
  readonly rows: Readonly<Record<string, number>>;
  readonly walBytes: number;
};

export type Written = { readonly rows: number; readonly walBytes: number };

/**
 * Sessions report their rows at the end of a transaction if the last report is at least a second old. So the difference between
 * two samples under steady load is right except for fluctuations from second to second.
 */
export async function readWriteCounters(pool: Pool): Promise<WriteCounters> {
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

export function findWritten(before: WriteCounters, after: WriteCounters): Written {
  const rows = Object.entries(after.rows).map(
    ([table, count]) => count - (before.rows[table] ?? 0),
  );
  return {
    rows: rows.reduce((sum, count) => sum + count, 0),
    walBytes: after.walBytes - before.walBytes,
  };
}
