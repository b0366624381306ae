import type { Pool } from '@parley/database';
import { membersAsOf } from '@parley/store';
import { LRUCache } from 'lru-cache';

type AsOf = { readonly streamId: number; readonly position: number };

// Some megabytes, for streams with a hundred thousand members.
const listsKept = 16;

/**
 * Reads the members of a stream as of a position. Everybody who joined with one change needs the same list at about the same time. Lists
 * may be cached, because the past does not change.
 */
export class SubscriberReader {
  readonly #lists: LRUCache<string, readonly number[], AsOf>;

  constructor(pool: Pool) {
    this.#lists = new LRUCache<string, readonly number[], AsOf>({
      max: listsKept,
      fetchMethod: (_key, _stale, { context: { streamId, position } }) =>
        membersAsOf(pool, streamId, position),
      // Whoever waits for a list gets it, also if others take its place meanwhile.
      ignoreFetchAbort: true,
    });
  }

  /** The number of cached lists. */
  get size(): number {
    return this.#lists.size;
  }

  /** @returns ascending user ids */
  at(streamId: number, position: number): Promise<readonly number[]> {
    return this.#lists.forceFetch(`${streamId} ${position}`, { context: { streamId, position } });
  }
}
