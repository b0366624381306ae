import type pg from 'pg';

import type { Client, Statement } from './pool.ts';

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
