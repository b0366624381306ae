import { pause } from '@parley/clock';

import type { ServiceFrame } from './service-frame.ts';
import { isStoreFailure } from './store-failures.ts';

const firstPauseMs = 250;
const pauseMaxMs = 5_000;

/** Up to a quarter is added, so that the processes of a machine do not ask together. */
const jitter = 1 / 4;

/**
 * Does a step of a service's start that needs a store, again and again until the store answers.
 *
 * @throws the store's last error when the start has taken `PARLEY_START_LIMIT_SECS`, and when the service is told to stop; any other error at once
 */
export async function awaitStore<Result>(
  {
    clock,
    config,
    log,
    startedAtMs,
    stopping,
  }: Pick<ServiceFrame, 'clock' | 'config' | 'log' | 'startedAtMs' | 'stopping'>,
  store: string,
  step: () => Promise<Result>,
): Promise<Result> {
  const takenMs = (): number => Math.round(clock.elapsedMs() - startedAtMs);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    try {
      const result = await step();
      if (pauseMs > firstPauseMs) log.info({ store, taken_ms: takenMs() }, 'the store answers');
      return result;
    } catch (error) {
      const isOver = takenMs() >= config.startLimitMs || stopping.aborted;
      if (isOver || !isStoreFailure(error)) throw error;
      log.warn({ err: error, store, taken_ms: takenMs() }, 'the start waits for a store');
      await pause(clock, pauseMs * (1 + Math.random() * jitter), stopping);
    }
  }
}
