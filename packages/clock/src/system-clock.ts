import type { Clock, Timer } from './clock.ts';

/** @param timer of `setTimeout` or `setInterval`, which one function clears */
function describe(timer: NodeJS.Timeout): Timer {
  const described: Timer = {
    cancel: () => clearTimeout(timer),
    unref: () => {
      timer.unref();
      return described;
    },
  };
  return described;
}

const after = (ms: number, run: () => void): Timer => describe(setTimeout(run, ms));

/** The time of the machine. */
export const systemClock: Clock = {
  runs: true,
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after,
  shortly: after,
  every: (ms, run) => describe(setInterval(run, ms)),
};
