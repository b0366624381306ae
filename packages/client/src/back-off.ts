/** How long to wait before something is repeated, and the waiting. */

/** The pause after the first failure, before it is spread. */
const firstPauseMs = 500;

/** However many failures there were, the pause is at most so long. */
const pauseMaxMs = 30_000;

/** What a server may ask for: beyond this a client would seem to have stopped. */
const askedPauseMaxMs = 300_000;

/**
 * @param failures how many failures there were in a row, at least 1
 * @param askedSecs what `Retry-After` asks for, which is never undercut
 * @param random of [0, 1): clients that failed together do not come back together
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
