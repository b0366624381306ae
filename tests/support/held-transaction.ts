/** Requests that meet a transaction: what they lock is held, and they go on when it commits. */
import type { Client, Pool } from '@parley/database';
import { waitUntil } from '@parley/test-kit';

/** Waits until so many statements of the system wait for locks. */
export async function untilStatementsWait(from: Pick<Client, 'query'>, count = 1): Promise<void> {
  await waitUntil('statements wait for locks', async () => {
    const { rows } = await from.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return (rows[0]?.waiting ?? 0) >= count;
  });
}

/**
 * Awaits what statements cause.
 *
 * @returns whether some of them waited for one another in a circle, which Postgres breaks after a while by refusing one
 */
export async function waitsInCircle(
  from: Pick<Client, 'query'>,
  work: Promise<unknown>,
): Promise<boolean> {
  let isCircle = false;
  const done = work.then(() => true);
  const look = async (): Promise<boolean> => {
    const { rowCount } = await from.query(
      `SELECT 1 FROM pg_stat_activity one JOIN pg_stat_activity other ON other.pid = ANY (pg_blocking_pids(one.pid))
       WHERE one.datname = current_database() AND one.wait_event_type = 'Lock' AND one.pid = ANY (pg_blocking_pids(other.pid))`,
    );
    isCircle ||= rowCount !== 0;
    return false;
  };
  while (!(await Promise.race([done, look()])));
  return isCircle;
}

/**
 * Makes a request while a transaction holds the rows that `hold` locked or changed.
 *
 * @param meanwhile is done when the request waits for the transaction, which commits after it unless it has ended by then
 */
export async function meetTransaction<Answer>(
  pool: Pool,
  hold: (client: Client) => Promise<unknown>,
  request: () => Promise<Answer>,
  meanwhile: (client: Client) => Promise<unknown> = async () => undefined,
): Promise<Answer> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    await hold(client);
    const answer = request();
    answer.catch(() => undefined);
    await untilStatementsWait(pool);
    await meanwhile(client);
    await client.query('COMMIT');
    return await answer;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
