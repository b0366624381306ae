/**
 * A read that many callers share, and whose result is never older than the call. One read runs at a time, and callers that arrive meanwhile
 * wait for the next. Under load this costs one read per round trip instead of one per caller.
 */
export class CoalescedRead<Value> {
  readonly #read: () => Promise<Value>;
  #running: Promise<unknown> | undefined;
  #next: Promise<Value> | undefined;

  constructor(read: () => Promise<Value>) {
    this.#read = read;
  }

  /** @returns the result of a read that began after this call */
  get(): Promise<Value> {
    this.#next ??= this.#runNext();
    return this.#next;
  }

  async #runNext(): Promise<Value> {
    // The caller that started the running read gets its failure; the next read runs anyway.
    await this.#running?.catch(() => undefined);
    this.#next = undefined;
    const read = this.#read();
    this.#running = read;
    return read;
  }
}
