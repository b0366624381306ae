import type { Logger } from '@parley/logging';

import { isStoreFailure } from './store-failures.ts';

/** A fault may come with every request, and is told so often at most. */
const toldIntervalMs = 60_000;

/**
 * For what goes on without a store while that is away: logs, as an error, what failed for any other reason, such as a script that
 * Redis refuses. It would be taken for an outage that never ends, and nobody would know why.
 *
 * @param message what was done without
 * @returns what is to be called with each error that is tolerated
 */
export function faultTeller(log: Logger, message: string): (error: unknown) => void {
  let toldAtMs = -Infinity;
  return (error) => {
    if (isStoreFailure(error) || performance.now() - toldAtMs < toldIntervalMs) return;
    toldAtMs = performance.now();
    log.error({ err: error }, message);
  };
}
