/**
 * The ids of named streams, kept by the process for each who asked: what one has looked up must not show another that it is there. A page
 * shows the names of its streams, so that looking them up first is a waste.
 */
import { foldName } from '@parley/api';
import type { Queryable } from '@parley/database';
import { findKnownStreamId } from '@parley/store';
import { LRUCache } from 'lru-cache';

/** Some 10 MB. */
const keptMax = 50_000;

export type NamedStream = { readonly name: string; readonly id: number };

/** A name, trimmed, and the id that it had when it was last looked up. */
export type AssumedStream = NamedStream;

function keyOf(userId: number, name: string): string {
  return `${userId} ${foldName(name)}`;
}

export class StreamIds {
  readonly #kept = new LRUCache<string, number>({ max: keptMax });

  /** @returns the id of the stream that had this name, in any letter case, when the user last looked it up, or undefined */
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
 * Finds out whether streams still have the names by which they were taken, and whether the user still knows of them. A stream that is
 * deactivated loses its name.
 *
 * @param shown the stream of a message of the list that was read, which shows this at its own moment; a list without any shows nothing
 * @returns false when one of them has not, and is forgotten: then the narrow has to be compiled and read anew
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
