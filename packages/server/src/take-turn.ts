import { serviceUnavailable } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import { TurnMissed } from '@parley/clock';
import type { FairLine, MissedTurn, Wait } from '@parley/clock';

/** A client that waited so long and was refused can also wait a little before it repeats. */
const retryAfterSecs = 5;

/**
 * Does the work of a request when its turn comes.
 *
 * @param wait.gone the request's signal
 * @throws ApiError SERVICE_UNAVAILABLE if the turn does not come; any error of the work
 */
export async function takeTurn<Owner, Result>(
  line: FairLine<Owner>,
  owner: Owner,
  wait: Wait & {
    readonly gone: HangUpSignal;
    readonly onMissed?: (reason: MissedTurn) => void;
  },
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    const waiting = line.enter(owner, wait);
    if (waiting !== undefined) await waiting;
  } catch (error) {
    if (!(error instanceof TurnMissed)) throw error;
    wait.onMissed?.(error.reason);
    throw serviceUnavailable(retryAfterSecs);
  }
  try {
    return await work();
  } finally {
    line.leave(owner);
  }
}
