import type { Clock, Timer } from '@parley/clock';

export type ReadBounds = {
  readonly keysPerRead: number;
  readonly readsAtOnce: number;
  /** For reads whose fixed cost is many times that of a key, and which Postgres answers so quickly that they would stay small under load. */
  readonly gathering?: {
    readonly clock: Clock;
    /** Only a read with at least so many keys lets the next one wait. Without load nothing waits. */
    readonly busyKeys: number;
    /** The most that the next one waits, from the beginning of the busy one. A full one begins at once. */
    readonly ms: number;
  };
};

/**
 * Reads together what many callers ask for one by one: keys of one turn of the event loop, and those that arrive while reads are under way.
 * A node that takes over thousands of queues asks Postgres a few dozen times instead of thousands of times, and a busy service asks once for
 * all waiting sends.
 *
 * Each call is answered by a read that began after the call. Nothing is cached. (The library `dataloader` begins a read in each turn, however
 * many are under way; decision 0043.)
 */
export class BatchedReads<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  readonly #bounds: ReadBounds;
  #waiting = new Map<Key, PromiseWithResolvers<Value | undefined>>();
  #reading = 0;
  #nextAtMs = -Infinity;
  #turn: NodeJS.Immediate | undefined;
  #gathering: Timer | undefined;

  /** @param read its error is thrown to every caller of that read */
  constructor(
    read: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    bounds: ReadBounds,
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
    this.#arrange();
    return waiting.promise;
  }

  /**
   * For reads that find every key.
   *
   * @throws Error if this one did not
   */
  async get(key: Key): Promise<Value> {
    const value = await this.find(key);
    if (value === undefined) throw new Error('a read did not find a key');
    return value;
  }

  #arrange(): void {
    const { keysPerRead, readsAtOnce, gathering } = this.#bounds;
    if (this.#waiting.size === 0 || this.#reading >= readsAtOnce) return;
    const waitMs =
      gathering === undefined || this.#waiting.size >= keysPerRead
        ? 0
        : this.#nextAtMs - gathering.clock.elapsedMs();
    if (gathering !== undefined && waitMs > 0)
      this.#gathering ??= gathering.clock.shortly(waitMs, () => this.#begin());
    else this.#turn ??= setImmediate(() => this.#begin());
  }

  #begin(): void {
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#gathering?.cancel();
    this.#gathering = undefined;
    const { keysPerRead, gathering } = this.#bounds;
    const batch = [...this.#waiting.entries().take(keysPerRead)];
    // A new map for each read, because deleted entries of a long-lived map stay until the next full garbage collection.
    if (batch.length === this.#waiting.size) this.#waiting = new Map();
    else for (const [key] of batch) this.#waiting.delete(key);
    if (gathering !== undefined)
      this.#nextAtMs =
        batch.length < gathering.busyKeys ? -Infinity : gathering.clock.elapsedMs() + gathering.ms;
    this.#reading += 1;
    void this.#readBatch(batch);
    this.#arrange();
  }

  async #readBatch(
    batch: readonly (readonly [Key, PromiseWithResolvers<Value | undefined>])[],
  ): Promise<void> {
    try {
      const found = await this.#read(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    this.#reading -= 1;
    this.#arrange();
  }
}
