/** The ids of named streams, kept by the process. A page shows the names of its streams, so that looking them up first is a waste. */
import { foldName } from '@parley/contracts';
import type { Queryable } from '@parley/database';
import { findStreamByName } from '@parley/store';

const keptMax = 10_000;

/** A name, trimmed, and the id that it had when it was last looked up. */
export type AssumedStream = { readonly name: string; readonly id: number };

export class StreamIds {
  // By folded name, the longest unused first.
  readonly #kept = new Map<string, number>();

  /** @returns the id of the stream that had this name, in any letter case, or undefined */
  find(name: string): number | undefined {
    return this.#kept.get(foldName(name));
  }

  keep(name: string, id: number): void {
    const folded = foldName(name);
    this.#kept.delete(folded);
    this.#kept.set(folded, id);
    if (this.#kept.size > keptMax) this.forget(this.#kept.keys().next().value ?? folded);
  }

  forget(name: string): void {
    this.#kept.delete(foldName(name));
  }
}

/**
 * Finds out whether streams still have the names by which they were taken. A stream that is deactivated loses its name.
 *
 * @param rows of the list that was read, which show this at its own moment; a list without messages shows nothing
 * @returns false when one of them has not, and is forgotten: then the narrow has to be compiled and read anew
 */
export async function confirmStreams(
  db: Queryable,
  streamIds: StreamIds,
  assumed: readonly AssumedStream[],
  rows: readonly { readonly streamId: number | null; readonly streamName: string | null }[],
): Promise<boolean> {
  for (const { name, id } of assumed) {
    const [row] = rows;
    if (row?.streamId === id && foldName(row.streamName ?? '') === foldName(name)) continue;
    const found = await findStreamByName(db, name);
    if (found?.id === id && !found.isDeactivated) continue;
    streamIds.forget(name);
    return false;
  }
  return true;
}
