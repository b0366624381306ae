import { JobLane } from '@parley/jobs';
import { subjectLogger } from '@parley/logging';
import { makeExport } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { openPool } from '@parley/server';
import type { ServiceFrame } from '@parley/server';
import { listDueRealmExports } from '@parley/store/realm-exports';

/** No request waits for an export: its statements and its idle transaction may take minutes. */
const waitMaxMs = 600_000;
const sweepIntervalMs = 2_000;

/** Makes exports of the public data, one at a time in each process. */
export function startExports(frame: ServiceFrame, context: PeopleContext): void {
  // One that reads, and one that keeps the claim.
  const pool = openPool(frame, 'exports', 2, {
    statementTimeoutMs: waitMaxMs,
    idleInTransactionMaxMs: waitMaxMs,
  });
  const lane = new JobLane({
    clock: frame.clock,
    redis: frame.config.redis,
    log: subjectLogger(frame.log, 'people:exports'),
    queueName: 'exports',
    concurrency: 1,
    sweepIntervalMs,
    idOf: (id: number) => `export-${id}`,
    listDue: () => listDueRealmExports(pool),
    run: async (id, signal) => {
      await makeExport(context, pool, id, signal);
      return undefined;
    },
  });
  lane.start();
  frame.onDispose('exports', () => lane.stop());
  frame.onSettle('exports', () => lane.settle());
}
