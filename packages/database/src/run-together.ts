import type pg from 'pg';

import type { Client, Statement } from './pool.ts';

/**
 * Runs statements one after the other that leave in one write: the server never waits for this process between them, not even where
 * it is paused or cut off right after. After one that failed, the others of its transaction fail too, and a COMMIT among them rolls back.
 *
 * @returns what each has answered
 * @throws what the first that failed has thrown, when all have been answered
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
