import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Reads what many ask for one by one together: what is asked while a read is under way goes into the next one. A node that takes
 * over thousands of queues at once asks Postgres a few dozen times and not thousands of times, and a busy service asks once for
 * all sends that wait.
 *
 * Each question is answered by a read that began after it was asked. Nothing is kept.
 */
export class BatchedReads<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  readonly #bounds: { readonly keysPerRead: number; readonly readsAtOnce: number };
  #waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>();
  #reading = 0;

  /**
   * @param read what it throws is thrown to everybody who asked with that read
   * @param bounds of one read, and of reads under way at the same time
   */
  constructor(
    read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    bounds: { readonly keysPerRead: number; readonly readsAtOnce: number },
  ) {
    this.#read = read;
    this.#bounds = bounds;
  }

  /** @returns what the read found for the key, or undefined */
  find(key: Key): Promise<Value | undefined> {
    const known = this.#waiting.get(key);
    if (known !== undefined) return known.promise;
    const asked = Promise.withResolvers<Value | undefined>();
    this.#waiting.set(key, asked);
    this.#readMore();
    return asked.promise;
  }

  #readMore(): void {
    if (this.#waiting.size === 0 || this.#reading >= this.#bounds.readsAtOnce) return;
    this.#reading += 1;
    void this.#readOnce();
  }

  async #readOnce(): Promise<void> {
    // What arrives in the same turn goes along.
    await nextTurn();
    const asked = [...this.#waiting.entries().take(this.#bounds.keysPerRead)];
    // A map of its own for each read: in one that lives on, what is taken out would stay until the next full garbage collection.
    if (asked.length === this.#waiting.size) this.#waiting = new Map();
    else for (const [key] of asked) this.#waiting.delete(key);
    try {
      const found = asked.length === 0 ? undefined : await this.#read(asked.map(([key]) => key));
      for (const [key, { resolve }] of asked) resolve(found?.get(key));
    } catch (error) {
      for (const [, { reject }] of asked) reject(error);
    }
    this.#reading -= 1;
    this.#readMore();
  }
}
