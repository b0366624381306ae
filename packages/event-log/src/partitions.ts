import type { Pool } from '@parley/database';

import { readHead, readSideEffectCursor } from './read-log.ts';

/** Positions per partition of the log. */
const partitionPositions = 1_000_000;
/** Partitions are created or removed by one node at a time, under an advisory lock of Postgres with this number. */
const partitionLock = 7_217_002;
/** Partition work gives up rather than wait behind a reader and delay every send. */
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
    try {
      await work((text) => client.query(text));
    } finally {
      // Also after a failure: a session that is closed instead keeps the lock until Postgres notices, and the next attempt finds it held.
      await client.query('RESET lock_timeout');
      await client.query('SELECT pg_advisory_unlock($1)', [partitionLock]);
      broken = false;
    }
    return true;
  } finally {
    // A connection with a lock or a changed setting is closed, which resets both.
    client.release(broken);
  }
}

/** Postgres' code for a lock that was not available within `lock_timeout`. */
const lockNotAvailable = '55P03';

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === lockNotAvailable;
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
 * Creates missing partitions from the one of `position` to the one after that of `upTo`. They are created separately and attached, which
 * blocks neither readers nor sends; several nodes may call this at once.
 *
 * @param upTo the last position about to be written; `position` if absent
 * @returns false if another node is at work, or a lock was not available in time: call again later
 */
export async function ensurePartitionsFor(
  pool: Pool,
  position: number,
  upTo: number = position,
): Promise<boolean> {
  const wanted: number[] = [];
  for (
    let from = Math.floor(position / partitionPositions) * partitionPositions;
    from <= upTo + partitionPositions;
    from += partitionPositions
  ) {
    wanted.push(from);
  }
  const present = await listPartitions(pool);
  const missing = wanted.filter(
    (from) => !present.some((partition) => partition.from <= from && from < partition.to),
  );
  if (missing.length === 0) return true;
  return withPartitionLock(pool, async (query) => {
    await finishRemovals(pool, query);
    for (const from of missing) {
      const to = from + partitionPositions;
      const name = `log_entries_from_${from}`;
      await query(
        `CREATE TABLE IF NOT EXISTS ${name} (LIKE log_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
           CONSTRAINT ${name}_range CHECK (position >= ${from} AND position < ${to}))`,
      );
      // Another node may have attached it between the check and the lock.
      const attached = (await listPartitions(pool)).some((partition) => partition.name === name);
      if (!attached)
        await query(
          `ALTER TABLE log_entries ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`,
        );
    }
  }).catch((error: unknown) => {
    if (isLockTimeout(error)) return false;
    throw error;
  });
}

/**
 * Completes the removal of partitions that an earlier trim began: one whose detaching met a long snapshot, which blocks all others from
 * being attached or detached, and detached ones whose node ended before it dropped them.
 */
async function finishRemovals(
  pool: Pool,
  query: (text: string) => Promise<unknown>,
): Promise<void> {
  const pending = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'log_entries'::regclass AND i.inhdetachpending`,
  );
  for (const { name } of pending.rows)
    await query(`ALTER TABLE log_entries DETACH PARTITION ${name} FINALIZE`);
  const { beginPosition } = await readHead(pool);
  const detached = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'log_entries'::regclass)
       AND c.relname ~ '^log_entries_from_[0-9]+$' AND NOT EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid)`,
  );
  for (const { name } of detached.rows) {
    const to = Number(name.slice('log_entries_from_'.length)) + partitionPositions;
    // A partition that is being created ahead of the log stays.
    if (to - 1 <= beginPosition) await query(`DROP TABLE ${name}`);
  }
}

/**
 * Removes partitions that no queue and no follower can need: all their entries are older than the retention. The log's recorded beginning
 * moves first, so that older queues are refused instead of missing entries.
 *
 * @param retentionSecs age in seconds below which every entry stays; longer than the longest lifetime of a queue
 * @returns the names of the removed partitions
 */
export async function trimLog(pool: Pool, retentionSecs: number): Promise<string[]> {
  const removed: string[] = [];
  const head = await readHead(pool);
  const { changes, messages } = await readSideEffectCursor(pool);
  const sideEffectsFrom = Math.min(changes, messages);
  const old: Partition[] = [];
  for (const partition of await listPartitions(pool)) {
    if (partition.to > head.endPosition || partition.to > sideEffectsFrom) break;
    const { rows } = await pool.query<{ kept: boolean }>({
      text: `SELECT coalesce((SELECT appended_at FROM ${partition.name} ORDER BY position DESC LIMIT 1)
                             > parley_now() - make_interval(secs => $1), false) AS kept`,
      values: [retentionSecs],
    });
    if (rows[0]?.kept !== false) break;
    old.push(partition);
  }
  await withPartitionLock(pool, async (query) => {
    await finishRemovals(pool, query);
    for (const partition of old) {
      await query(
        `UPDATE log_head SET begin_position = greatest(begin_position, ${partition.to - 1})`,
      );
      await query(`DELETE FROM account_changes WHERE position < ${partition.to}`);
      await query(`ALTER TABLE log_entries DETACH PARTITION ${partition.name} CONCURRENTLY`);
      await query(`DROP TABLE ${partition.name}`);
      removed.push(partition.name);
    }
  });
  return removed;
}
