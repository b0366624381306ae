/**
 * The ids of named streams, kept by the process for each user: a look-up by one user must not reveal a stream to another. A page shows the
 * names of its streams, so a look-up before it is unnecessary.
 */
import { foldName } from '@parley/api';
import type { Queryable } from '@parley/database';
import { findKnownStreamId } from '@parley/store';
import { LRUCache } from 'lru-cache';

/** Some 10 MB. */
const keptMax = 50_000;

export type NamedStream = { readonly name: string; readonly id: number };

/** A trimmed name, and the id that it had at its last look-up. */
export type AssumedStream = NamedStream;

function keyOf(userId: number, name: string): string {
  return `${userId} ${foldName(name)}`;
}

export class StreamIds {
  readonly #kept = new LRUCache<string, number>({ max: keptMax });

  /** @returns the id that the stream of this name, in any letter case, had at the user's last look-up, or undefined */
  find(userId: number, name: string): number | undefined {
    return this.#kept.get(keyOf(userId, name));
  }

  keep(userId: number, name: string, id: number): void {
    this.#kept.set(keyOf(userId, name), id);
  }

  forget(userId: number, name: string): void {
    this.#kept.delete(keyOf(userId, name));
  }
}

/**
 * Checks whether streams still have the names of their look-up, and whether the user may still know them. A stream that is deactivated
 * loses its name.
 *
 * @param shown the stream of a message in the list, which shows its name at the time of the list; an empty list shows none
 * @returns false if one of them has changed; it is forgotten, and the narrow must be compiled and read again
 */
export async function confirmStreams(
  db: Queryable,
  userId: number,
  streamIds: StreamIds,
  assumed: readonly AssumedStream[],
  shown: NamedStream | undefined,
): Promise<boolean> {
  for (const { name, id } of assumed) {
    if (shown?.id === id && foldName(shown.name) === foldName(name)) continue;
    if ((await findKnownStreamId(db, userId, { name })) === id) continue;
    streamIds.forget(userId, name);
    return false;
  }
  return true;
}
