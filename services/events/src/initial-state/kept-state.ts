import type { SnapshotReads } from '@parley/database';
import { readRowVersions } from '@parley/store';
import type { VersionedTable } from '@parley/store';

type Kept = { readonly version: string; readonly made: unknown };

/**
 * Caches values that registers make from the organization's tables, as long as these tables have the same rows. It is checked against each
 * snapshot, so it always equals a read in that snapshot.
 */
export class KeptState {
  readonly #kept = new Map<string, Kept>();

  /**
   * @param snapshot of a REPEATABLE READ transaction
   * @param epoch of the log in this snapshot
   */
  at(snapshot: SnapshotReads, epoch: number): KeptReads {
    const versions = (): ReturnType<typeof readRowVersions> =>
      snapshot.once('row versions', () => readRowVersions(snapshot));
    return {
      read: async (name, tables, make) => {
        const rows = await versions();
        const version = [epoch, ...tables.map((table) => rows[table])].join(';');
        const known = this.#kept.get(name);
        if (known?.version === version) return known.made as Awaited<ReturnType<typeof make>>;
        const made = await snapshot.once(`kept ${name}`, make);
        this.#kept.set(name, { version, made });
        return made;
      },
    };
  }
}

/** The organization's state in one snapshot. */
export type KeptReads = {
  /**
   * @param name one of a few names; the same name always means the same type
   * @param tables all tables that `make` reads
   * @param make returns a value that is never changed
   */
  readonly read: <Made>(
    name: string,
    tables: readonly VersionedTable[],
    make: () => Promise<Made>,
  ) => Promise<Made>;
};
