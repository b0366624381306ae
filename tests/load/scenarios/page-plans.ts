/** The cost in Postgres of the first page of each narrow on a long history. */
import { createMigratedDatabase, openTestPool, startTestPostgres } from '@parley/test-kit';

import { historyPeople, makeHistory } from './history-data.ts';
import { explainPage, explainUnreadState, historyAnchors, historyCases } from './history-plans.ts';

export type PlanRow = {
  readonly reader: string;
  readonly narrow: string;
  readonly anchor: string;
  readonly found: number;
  readonly buffers: number;
  readonly ms: number;
};

const readers = Object.entries(historyPeople).filter(([name]) => /^(member|guest)/.test(name));

/** One row of the report, in columns. */
export function planLine(row: PlanRow): string {
  return [
    row.reader.padEnd(18),
    row.narrow.padEnd(48),
    row.anchor.padEnd(13),
    String(row.found).padStart(6),
    String(row.buffers).padStart(8),
    row.ms.toFixed(1).padStart(9),
  ].join(' ');
}

/**
 * Creates a history in a separate Postgres (or that of `PARLEY_TEST_DATABASE_URL`) and explains every narrow for every reader and
 * anchor: messages found, shared buffers of the more expensive plan, and milliseconds of execution.
 *
 * @param report gets the rows as they are measured; the most expensive one is repeated at the end
 */
export async function explainPages(
  messages: number,
  report: (row: PlanRow) => void,
): Promise<void> {
  await using disposal = new AsyncDisposableStack();
  const postgres = await startTestPostgres();
  disposal.defer(() => postgres.stop());
  const database = disposal.use(await createMigratedDatabase(postgres.url));
  const pool = openTestPool(database.url, 1, { statementTimeoutMs: 0 });
  disposal.defer(() => pool.end());
  await makeHistory(pool, messages);
  const client = await pool.connect();
  disposal.defer(() => client.release());
  let dearest: PlanRow | undefined;
  for (const [reader, userId] of readers) {
    for (const { name, narrow } of historyCases(userId)) {
      for (const anchor of historyAnchors) {
        const { found, buffers, executionMs } = await explainPage(client, {
          userId,
          narrow: JSON.stringify(narrow),
          anchor,
          messages,
        });
        const row = { reader, narrow: name, anchor, found, buffers, ms: executionMs };
        report(row);
        if (buffers > (dearest?.buffers ?? 0)) dearest = row;
      }
    }
    const { found, buffers, executionMs } = await explainUnreadState(client, userId);
    report({ reader, narrow: 'unread_msgs', anchor: '', found, buffers, ms: executionMs });
  }
  if (dearest !== undefined) report({ ...dearest, reader: `dearest: ${dearest.reader}` });
}
