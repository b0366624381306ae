/**
 * Runs pieces of work one after another, so that however many come at once, one picture is in memory decoded.
 *
 * @param waitingMax more than so many are refused
 */
export class OneAtATime {
  readonly #waitingMax: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /**
   * @throws what the work throws
   * @throws TooManyWaiting
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= this.#waitingMax) throw new TooManyWaiting();
    this.#waiting += 1;
    const before = this.#last;
    const mine = (async () => {
      await before.catch(() => undefined);
      return work();
    })();
    this.#last = mine;
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** More pictures are waiting to be made than are held in memory. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';
}
