/**
 * A read that many callers share without ever seeing anything older than their own call: one read runs at a time, and whoever
 * comes while it runs waits for the next. Under load the cost is one read per round trip instead of one per caller.
 */
export class CoalescedRead<Value> {
  readonly #read: () => Promise<Value>;
  #running: Promise<unknown> | undefined;
  #next: Promise<Value> | undefined;

  constructor(read: () => Promise<Value>) {
    this.#read = read;
  }

  /** @returns what a read found that began after this call */
  get(): Promise<Value> {
    this.#next ??= this.#runNext();
    return this.#next;
  }

  async #runNext(): Promise<Value> {
    // Whoever started the running read hears of its failure; the next one is tried all the same.
    await this.#running?.catch(() => undefined);
    this.#next = undefined;
    const read = this.#read();
    this.#running = read;
    return read;
  }
}
