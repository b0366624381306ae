import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets long work of several requests go on one part in each turn of the event loop, so that small requests come between the parts. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for a turn of its own. */
  take(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
