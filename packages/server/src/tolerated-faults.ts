import type { Logger } from '@parley/logging';

import { isStoreFailure } from './store-failures.ts';

/** A fault may come with every request, and is told so often at most. */
const loggedIntervalMs = 60_000;

/**
 * For what goes on without a store while that is away: logs, as an error, what failed for any other reason, such as a script that
 * Redis refuses. It would be taken for an outage that never ends, and nobody would know why.
 *
 * @param message what was done without
 * @returns what is to be called with each error that is tolerated
 */
export function faultLogger(log: Logger, message: string): (error: unknown) => void {
  let loggedAtMs = -Infinity;
  return (error) => {
    if (isStoreFailure(error) || performance.now() - loggedAtMs < loggedIntervalMs) return;
    loggedAtMs = performance.now();
    log.error({ err: error }, message);
  };
}
