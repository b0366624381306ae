import type { Clock } from '@parley/clock';
import type { Logger } from '@parley/telemetry/logging';

import { isStoreFailure } from './store-failures.ts';

/** A fault may occur with every request; it is logged at most once in this time. */
const loggedIntervalMs = 60_000;

/**
 * For work that continues without a store while that is down. Logs, as an error, every fault with another cause, such as a script that
 * Redis refuses. Otherwise it would look like an outage that never ends, and nobody would know why.
 *
 * @param message the consequence of the fault
 * @returns a function to call with each tolerated error
 */
export function faultLogger(log: Logger, message: string, clock: Clock): (error: unknown) => void {
  let loggedAtMs = -Infinity;
  return (error) => {
    const nowMs = clock.elapsedMs();
    if (isStoreFailure(error) || nowMs - loggedAtMs < loggedIntervalMs) return;
    loggedAtMs = nowMs;
    log.error({ err: error }, message);
  };
}
