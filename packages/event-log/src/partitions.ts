import type { Pool } from '@parley/database';

import { readHead } from './read-log.ts';

/** Positions per partition of the log. */
const partitionPositions = 1_000_000;
/** One maker or remover of partitions at a time, whichever node it is: an advisory lock of Postgres under this number. */
const partitionLock = 7_217_002;
/** Partition work gives up rather than queue behind a reader and hold up every send behind itself. */
const lockTimeoutMs = 200;

async function withPartitionLock(
  pool: Pool,
  work: (query: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<boolean> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS held',
      [partitionLock],
    );
    if (rows[0]?.held !== true) {
      broken = false;
      return false;
    }
    await client.query(`SET lock_timeout = '${lockTimeoutMs}ms'`);
    await work((text) => client.query(text));
    await client.query('RESET lock_timeout');
    await client.query('SELECT pg_advisory_unlock($1)', [partitionLock]);
    broken = false;
    return true;
  } finally {
    // A connection left with a lock or a setting is closed, which gives both back.
    client.release(broken);
  }
}

type Partition = { readonly name: string; readonly from: number; readonly to: number };

async function listPartitions(pool: Pool): Promise<Partition[]> {
  const { rows } = await pool.query<{ name: string; bounds: string }>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'log_entries'::regclass AND NOT i.inhdetachpending`,
  );
  return rows
    .map((row) => {
      const [from, to] = [...row.bounds.matchAll(/'(\d+)'/g)].map((match) => Number(match[1]));
      if (from === undefined || to === undefined)
        throw new Error(`partition ${row.name} of the log has no range`);
      return { name: row.name, from, to };
    })
    .toSorted((a, b) => a.from - b.from);
}

/**
 * Makes sure that the partition of `position` and the one after it exist. They are made apart and attached, which blocks
 * neither readers nor sends; several nodes may call this at once.
 *
 * @returns false when another node is at it, or a lock was not to be had in time: call again later
 */
export async function ensurePartitionsFor(pool: Pool, position: number): Promise<boolean> {
  const first = Math.floor(position / partitionPositions) * partitionPositions;
  const wanted = [first, first + partitionPositions];
  const present = await listPartitions(pool);
  const missing = wanted.filter(
    (from) => !present.some((partition) => partition.from <= from && from < partition.to),
  );
  if (missing.length === 0) return true;
  return withPartitionLock(pool, async (query) => {
    for (const from of missing) {
      const to = from + partitionPositions;
      const name = `log_entries_from_${from}`;
      await query(
        `CREATE TABLE IF NOT EXISTS ${name} (LIKE log_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
           CONSTRAINT ${name}_range CHECK (position >= ${from} AND position < ${to}))`,
      );
      // Another node may have attached it between the look and the lock.
      const attached = (await listPartitions(pool)).some((partition) => partition.name === name);
      if (!attached)
        await query(
          `ALTER TABLE log_entries ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
        );
    }
  });
}

/**
 * Removes partitions that no queue and no follower can need any more: all their entries are older than the retention, and
 * the log's recorded beginning moves first, so that older queues are refused rather than left with a gap.
 *
 * @param retentionSecs age in seconds below which every entry stays; longer than the longest lifetime of a queue
 * @returns the names of the removed partitions
 */
export async function trimLog(pool: Pool, retentionSecs: number): Promise<string[]> {
  const removed: string[] = [];
  const head = await readHead(pool);
  const old: Partition[] = [];
  for (const partition of await listPartitions(pool)) {
    if (partition.to > head.endPosition) break;
    const { rows } = await pool.query<{ kept: boolean }>({
      text: `SELECT coalesce((SELECT appended_at FROM ${partition.name} ORDER BY position DESC LIMIT 1)
                             > clock_timestamp() - make_interval(secs => $1), false) AS kept`,
      values: [retentionSecs],
    });
    if (rows[0]?.kept !== false) break;
    old.push(partition);
  }
  if (old.length === 0) return removed;
  await withPartitionLock(pool, async (query) => {
    for (const partition of old) {
      await query(
        `UPDATE log_head SET begin_position = greatest(begin_position, ${partition.to - 1})`,
      );
      await query(`ALTER TABLE log_entries DETACH PARTITION ${partition.name} CONCURRENTLY`);
      await query(`DROP TABLE ${partition.name}`);
      removed.push(partition.name);
    }
  });
  return removed;
}
