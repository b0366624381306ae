import type { Client, Pool } from '@parley/database';

/**
 * Runs work on a separate connection, whose transaction may idle while rows are written or read elsewhere, and which reads and writes times
 * as UTC. The connection is closed afterwards, with its settings, locks and cursors.
 */
export async function withDedicatedConnection<Result>(
  pool: Pool,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(`SET idle_in_transaction_session_timeout = 0; SET TIME ZONE 'UTC'`);
    return await work(client);
  } finally {
    client.release(true);
  }
}
