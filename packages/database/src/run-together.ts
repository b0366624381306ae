import pg from 'pg';

import { commitThroughGate } from './commit-gate.ts';
import type { Client, Pool } from './pool.ts';
import type { Statement } from './queryable.ts';

/**
 * Runs statements in order that are sent in one write. So Postgres never waits for this process between them, even if it is paused or cut
 * off right after. If one fails, the others of its transaction fail too, and a COMMIT among them rolls back.
 *
 * @returns the result of each
 * @throws the error of the first failed statement, after all were answered
 */
export async function runTogether<Row extends pg.QueryResultRow>(
  client: Client,
  statements: readonly Statement[],
): Promise<pg.QueryResult<Row>[]> {
  const { stream } = client.connection;
  stream.cork();
  let running: Promise<pg.QueryResult<Row>>[];
  try {
    running = statements.map((statement) => client.query<Row>(statement));
  } finally {
    stream.uncork();
  }
  const outcomes = await Promise.allSettled(running);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/**
 * Runs statements, none of which needs the result of another, in one READ COMMITTED transaction that is sent in one write.
 *
 * @returns the result of each
 */
export async function transactionTogether<Row extends pg.QueryResultRow>(
  pool: Pool,
  statements: readonly Statement[],
): Promise<pg.QueryResult<Row>[]> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    const results = await commitThroughGate(() =>
      runTogether<Row>(client, [
        { text: 'BEGIN ISOLATION LEVEL READ COMMITTED' },
        ...statements,
        { text: 'COMMIT' },
      ]),
    );
    return results.slice(1, -1);
  } catch (error) {
    // Postgres may not have read the COMMIT.
    isBroken = !(error instanceof pg.DatabaseError);
    throw error;
  } finally {
    client.release(isBroken);
  }
}
