import type { SnapshotReads } from '@parley/database';
import { listMemberTexts, readMemberVersions } from '@parley/store';

/** Reads in one snapshot. @returns for each stream the ids of its subscribers as a JSON list, ascending */
export type ReadMembers = (streamIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

type Kept = { readonly version: string; readonly text: string };

/**
 * Keeps the ids of streams' subscribers as JSON text. A list is used only if the snapshot has it in the version in which it was read, so it
 * always equals a read in that snapshot. When all lists together exceed the bound, those that were read first are dropped.
 */
export class MemberLists {
  readonly #kept = new Map<number, Kept>();
  readonly #bytesMax: number;
  #bytes = 0;

  /** @param bytesMax of all texts */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The length of all texts. */
  get bytes(): number {
    return this.#bytes;
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
        this.#keep(streamId, { version: versionOf(streamId), text });
      }
      return found;
    };
  }

  #keep(streamId: number, kept: Kept): void {
    this.#drop(streamId);
    this.#kept.set(streamId, kept);
    this.#bytes += kept.text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#drop(oldest);
    }
  }

  #drop(streamId: number): void {
    this.#bytes -= this.#kept.get(streamId)?.text.length ?? 0;
    this.#kept.delete(streamId);
  }
}
