import { pause, systemClock } from '@parley/clock';

import { LaunchFault } from './launch-fault.ts';

const deathsMax = 5;
const deathsWithinMs = 60_000;
const pauseStepMs = 250;

/** A process that runs and answers. */
export type Running = {
  pid: number;
  port: number;
  /** Fulfilled when it has ended, with a description of how. */
  exited: Promise<string>;
  lastLines: readonly string[];
  stop: () => Promise<void>;
};

/** How a supervised process is started, and who is called about it. */
export type Supervised = {
  /** Its name in messages. */
  name: string;
  /** Starts it and resolves when it answers; rejects if it ended before. */
  start: (signal: AbortSignal) => Promise<Running>;
  say: (line: string) => void;
  /** Called once when it died five times within a minute. */
  giveUp: (fault: LaunchFault) => void;
};

/**
 * Keeps one process running. A process that ends is started again, first at once and then after a growing pause. After five deaths within a
 * minute, failed starts included, it gives up.
 */
export class Supervisor {
  readonly #process: Supervised;
  readonly #deaths: number[] = [];
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #restart: Promise<void> | undefined;

  constructor(supervised: Supervised) {
    this.#process = supervised;
  }

  get running(): Running | undefined {
    return this.#running;
  }

  /**
   * Starts the process for the first time.
   *
   * @param isRetried whether a failed first start counts as a death and is tried again; if false, its error is thrown at once, as for a
   *   store whose fault is the machine's
   * @throws LaunchFault after five failed starts
   */
  async start(isRetried: boolean): Promise<Running> {
    for (;;) {
      try {
        return this.#watch(await this.#process.start(this.#stopping.signal));
      } catch (error) {
        this.#stopping.signal.throwIfAborted();
        if (!isRetried) throw error;
        const words = error instanceof Error ? error.message : String(error);
        const fault = this.#countDeath(words);
        if (fault !== undefined) throw fault;
        this.#process.say(`${words}\nTrying again.`);
        await this.#pause();
      }
    }
  }

  /** Prevents further starts, and ends a start in progress. */
  refuseStarts(): void {
    this.#stopping.abort();
  }

  /** Stops the process for good. */
  async stop(): Promise<void> {
    this.refuseStarts();
    await this.#restart;
    await this.#running?.stop();
  }

  #watch(running: Running): Running {
    this.#running = running;
    void running.exited.then((how) => {
      if (this.#stopping.signal.aborted) return;
      const { name, say, giveUp } = this.#process;
      say(`${name} (process ${running.pid}) ${how}.`);
      const fault = this.#countDeath([how, ...running.lastLines].join('\n  '));
      if (fault === undefined) this.#restart = this.#startAgain();
      else giveUp(fault);
    });
    return running;
  }

  async #startAgain(): Promise<void> {
    const { name, say, giveUp } = this.#process;
    try {
      await this.#pause();
      const running = await this.start(true);
      say(`${name} runs again (process ${running.pid}).`);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      giveUp(
        error instanceof LaunchFault
          ? error
          : new LaunchFault(`${name} cannot be started again: ${String(error)}`, { cause: error }),
      );
    }
  }

  /** The first restart is immediate; each further one within the minute is a little later. */
  async #pause(): Promise<void> {
    const pauseMs = (this.#deaths.length - 1) * pauseStepMs;
    await pause(systemClock, pauseMs, this.#stopping.signal);
  }

  #countDeath(words: string): LaunchFault | undefined {
    const now = systemClock.elapsedMs();
    this.#deaths.push(now);
    while ((this.#deaths[0] ?? now) < now - deathsWithinMs) this.#deaths.shift();
    if (this.#deaths.length < deathsMax) return undefined;
    return new LaunchFault(
      `${this.#process.name} died ${deathsMax} times within a minute, so everything stops. The last time:\n  ${words}`,
    );
  }
}
