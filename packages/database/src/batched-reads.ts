import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Reads in batches what many callers ask for one by one: keys that arrive during a read go into the next one. A node that takes over
 * thousands of queues asks Postgres a few dozen times instead of thousands of times, and a busy service asks once for all waiting sends.
 *
 * Each call is answered by a read that began after the call. Nothing is cached.
 */
export class BatchedReads<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  readonly #bounds: { readonly keysPerRead: number; readonly readsAtOnce: number };
  #waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>();
  #reading = 0;

  /**
   * @param read its error is thrown to every caller of that read
   * @param bounds of one read, and of concurrent reads
   */
  constructor(
    read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    bounds: { readonly keysPerRead: number; readonly readsAtOnce: number },
  ) {
    this.#read = read;
    this.#bounds = bounds;
  }

  /** @returns the value that the read found for the key, or undefined */
  find(key: Key): Promise<Value | undefined> {
    const known = this.#waiting.get(key);
    if (known !== undefined) return known.promise;
    const waiting = Promise.withResolvers<Value | undefined>();
    this.#waiting.set(key, waiting);
    this.#readMore();
    return waiting.promise;
  }

  #readMore(): void {
    if (this.#waiting.size === 0 || this.#reading >= this.#bounds.readsAtOnce) return;
    this.#reading += 1;
    void this.#readOnce();
  }

  async #readOnce(): Promise<void> {
    // Keys that arrive in the same turn are included.
    await nextTurn();
    const batch = [...this.#waiting.entries().take(this.#bounds.keysPerRead)];
    // A new map for each read, because deleted entries of a long-lived map stay until the next full garbage collection.
    if (batch.length === this.#waiting.size) this.#waiting = new Map();
    else for (const [key] of batch) this.#waiting.delete(key);
    try {
      const found = batch.length === 0 ? undefined : await this.#read(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(found?.get(key));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    this.#reading -= 1;
    this.#readMore();
  }
}
