import type { Pool } from '@parley/database';

import { readHead, readSideEffectCursor } from './read-log.ts';

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

/** Postgres' code for a lock that was not to be had within `lock_timeout`. */
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
 * Makes sure that the partitions from the one of `position` to the one after that of `upTo` exist. They are made apart and
 * attached, which blocks neither readers nor sends; several nodes may call this at once.
 *
 * @param upTo the last position about to be written; `position` if absent
 * @returns false when another node is at it, or a lock was not to be had in time: call again later
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
      // Another node may have attached it between the look and the lock.
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
 * Completes the removal of partitions that an earlier trim began: one whose detaching met a long snapshot, which keeps every
 * other from being attached or detached, and ones detached whose node died before they were dropped.
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
    // One that is being made ahead of the log stays.
    if (to - 1 <= beginPosition) await query(`DROP TABLE ${name}`);
  }
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
  const { changes, messages } = await readSideEffectCursor(pool);
  const sideEffectsFrom = Math.min(changes, messages);
  const old: Partition[] = [];
  for (const partition of await listPartitions(pool)) {
    if (partition.to > head.endPosition || partition.to > sideEffectsFrom) break;
    const { rows } = await pool.query<{ kept: boolean }>({
      text: `SELECT coalesce((SELECT appended_at FROM ${partition.name} ORDER BY position DESC LIMIT 1)
                             > clock_timestamp() - make_interval(secs => $1), false) AS kept`,
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
