/** The pauses before repeats. */

/** The pause after the first failure, before it is randomized. */
const firstPauseMs = 500;

/** The longest pause after any number of failures. */
const pauseMaxMs = 30_000;

/** The longest pause that a server may request: with a longer one a client would seem to have stopped. */
const askedPauseMaxMs = 300_000;

/**
 * @param failures the number of failures in a row, at least 1
 * @param askedSecs the time in `Retry-After`; the pause is never shorter
 * @param random of [0, 1): so clients that failed together do not return together
 * @returns milliseconds
 */
export function pauseAfter(
  failures: number,
  askedSecs: number | undefined,
  random: number = Math.random(),
): number {
  const grownMs = Math.min(firstPauseMs * 2 ** (failures - 1), pauseMaxMs);
  const spreadMs = grownMs * (0.5 + random / 2);
  if (askedSecs === undefined) return spreadMs;
  const askedMs = Math.min(askedSecs * 1_000, askedPauseMaxMs);
  return askedMs + Math.min(spreadMs, askedMs / 2 + firstPauseMs);
}

/** Waits; an aborted signal ends the wait at once, without an error. */
export function pause(forMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, forMs);
    signal?.addEventListener('abort', end, { once: true });
  });
}
