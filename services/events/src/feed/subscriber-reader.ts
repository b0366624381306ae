import type { Pool } from '@parley/database';
import { membersAsOf } from '@parley/store';

// Some megabytes, for streams with a hundred thousand members.
const listsKept = 16;

/**
 * Reads the members of a stream as of a position. Everybody who joined with one change needs the same list at about the same time. Lists
 * may be cached, because the past does not change.
 */
export class SubscriberReader {
  readonly #pool: Pool;
  readonly #lists = new Map<string, Promise<readonly number[]>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The number of cached lists. */
  get size(): number {
    return this.#lists.size;
  }

  /** @returns ascending user ids */
  at(streamId: number, position: number): Promise<readonly number[]> {
    const key = `${streamId} ${position}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const reading = membersAsOf(this.#pool, streamId, position);
    this.#lists.set(key, reading);
    reading.catch(() => this.#lists.delete(key));
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= listsKept) break;
      this.#lists.delete(oldest);
    }
    return reading;
  }
}
