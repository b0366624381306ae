import type { SnapshotReads } from '@parley/database';
import { listMemberTexts, readMemberVersions } from '@parley/store';
import { LRUCache } from 'lru-cache';

/** Reads in one snapshot. @returns for each stream the ids of its subscribers as a JSON list, ascending */
export type ReadMembers = (streamIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

type Kept = { readonly version: string; readonly text: string };

/**
 * Keeps the ids of streams' subscribers as JSON text. A list is used only if the snapshot has it in the version in which it was read, so it
 * always equals a read in that snapshot. When all lists together exceed the bound, the least used are dropped.
 */
export class MemberLists {
  readonly #kept: LRUCache<number, Kept>;

  /** @param bytesMax of all texts */
  constructor(bytesMax: number) {
    this.#kept = new LRUCache({ maxSize: bytesMax, sizeCalculation: ({ text }) => text.length });
  }

  /** The length of all texts. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * @param snapshot of a REPEATABLE READ transaction
   * @param epoch of the log in this snapshot
   */
  async openAt(snapshot: SnapshotReads, epoch: number): Promise<ReadMembers> {
    const versions = await snapshot.once('member versions', () => readMemberVersions(snapshot));
    const versionOf = (streamId: number): string => `${epoch};${versions[streamId]}`;
    return async (streamIds) => {
      const found = new Map<number, string>();
      for (const streamId of streamIds) {
        const kept = this.#kept.get(streamId);
        if (kept?.version === versionOf(streamId)) found.set(streamId, kept.text);
      }
      const missing = streamIds.filter((streamId) => !found.has(streamId));
      if (missing.length === 0) return found;
      for (const [streamId, text] of await listMemberTexts(snapshot, missing)) {
        found.set(streamId, text);
        this.#kept.set(streamId, { version: versionOf(streamId), text });
      }
      return found;
    };
  }
}
