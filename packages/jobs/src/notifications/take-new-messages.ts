import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import { hasMessagesToLookAt, takeCandidates } from '@parley/store/notifications';
import type { EnabledChannels } from '@parley/store/notifications';

/**
 * Turns the people whom new messages may concern into candidates, at least once whatever dies, and once because the position moves with
 * them. Any number of processes may call it; one is at it at a time.
 *
 * @returns how many candidates became rows
 */
export async function takeNewMessages(pool: Pool, by: EnabledChannels): Promise<number> {
  // A transaction with its lock costs round trips and a write to the disk.
  if (!(await hasMessagesToLookAt(pool))) return 0;
  let taken = 0;
  for (;;) {
    const step = await transaction(pool, (client) => takeCandidates(client, by));
    taken += step?.taken ?? 0;
    if (step?.mayHaveMore !== true) return taken;
  }
}
