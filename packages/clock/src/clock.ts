/** Something that was arranged for later. Like a timer of Node it keeps the process alive, unless {@link Timer.unref} was called. */
export type Timer = {
  /** After this it does not run. Has no effect on one that ran. */
  readonly cancel: () => void;
  readonly unref: () => Timer;
};

/**
 * The time of a process, given to everything that waits, measures or expires. Services get it with their frame. In tests it stands until a
 * test moves it, so no limit is reached because a machine is slow.
 *
 * Durations are in milliseconds.
 */
export type Clock = {
  /** The time of day, in milliseconds since 1970. It may be set back; durations are differences of {@link elapsedMs}. */
  readonly nowMs: () => number;
  /** Milliseconds since some beginning. Never goes back. */
  readonly elapsedMs: () => number;
  /** Runs something once, after this time. */
  readonly after: (ms: number, run: () => void) => Timer;
  /** Runs something again and again, the first time after this time. */
  readonly every: (ms: number, run: () => void) => Timer;
  /**
   * A wait within one piece of work, of a tenth of a second at most: to gather what comes together, or to try again soon. Nobody can tell
   * how long it took, so it passes even where time stands.
   */
  readonly shortly: (ms: number, run: () => void) => Timer;
  /**
   * Whether time passes by itself. Where it stands, limits that a library, a socket or a store measures by its own time are off
   * ({@link limitMs}), and Postgres and Redis are told what time it is.
   */
  readonly runs: boolean;
};

/**
 * Waits for a time of the clock.
 *
 * @throws what aborted the signal, at once when it is aborted
 */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return wait((run) => clock.after(ms, run), signal);
}

/** Waits as {@link Clock.shortly} does. */
export function pauseShortly(clock: Clock, ms: number): Promise<void> {
  return wait((run) => clock.shortly(ms, run));
}

/** A signal that is aborted with a `TimeoutError` after this time. */
export function deadline(clock: Clock, ms: number): AbortSignal {
  const late = new AbortController();
  clock
    .after(ms, () => {
      late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    })
    .unref();
  return late.signal;
}

/** The time limit for something that measures it by its own time: 0, which means none, where time stands. */
export function limitMs(clock: Clock, ms: number): number {
  return clock.runs ? ms : 0;
}

function wait(arrange: (run: () => void) => Timer, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = arrange(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
