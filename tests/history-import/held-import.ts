/** Holds an import where it writes a table, so that it can be killed just there. */
import { waitUntil } from '@parley/test-kit';
import type { Pool } from '@parley/database';

import type { Running } from '../support/run-parley.ts';

const lock = 4712;

/**
 * Starts an import, and waits until it writes the table.
 *
 * @param start starts it
 * @returns lets it go on, where it has not been killed
 */
export async function holdAt(
  pool: Pool,
  table: string,
  start: () => Running,
): Promise<{ readonly running: Running; readonly release: () => Promise<void> }> {
  await pool.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(${lock}); RETURN NEW; END'`);
  await pool.query(
    `CREATE TRIGGER hold BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION hold()`,
  );
  const holder = await pool.connect();
  await holder.query(`SELECT pg_advisory_lock(${lock})`);
  const running = start();
  const waits = async (): Promise<true | undefined> => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lock} AND NOT granted`,
    );
    return rows[0]?.count === 1 ? true : undefined;
  };
  const release = async (): Promise<void> => {
    await holder.query(`SELECT pg_advisory_unlock(${lock})`);
    holder.release();
    await pool.query(`DROP TRIGGER hold ON ${table}; DROP FUNCTION hold()`);
  };
  await waitUntil(`the import writes ${table}`, waits);
  return { running, release };
}
