import { MovedClock } from '@parley/clock';
import type { Cluster } from '@parley/test-kit';

/**
 * The clock of a system in this process, for moving the time while the system cannot settle: while a request waits for a limit, or a store is
 * away. `Cluster.advance` is for all other times.
 *
 * @throws Error if the system has the time of the machine
 */
export function movedClockOf({ settings: { clock } }: Cluster): MovedClock {
  if (!(clock instanceof MovedClock)) throw new Error('the time of the machine cannot be moved');
  return clock;
}
