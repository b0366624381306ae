import type { Pool } from '@parley/database';
import type { MaintenanceTask } from '@parley/server';
import { deleteOldSendKeys, flushSearchIndex, noteNewestMessages } from '@parley/store';

import type { DeferredMessages } from './deferring/deferred-messages.ts';
import type { UploadFiles } from './files/upload-files.ts';

/** Short enough that the list never reaches the size at which a send flushes it. */
const flushIntervalMs = 1_000;
const noteIntervalMs = 1_000;
const keysIntervalMs = 600_000;
const filesIntervalMs = 60_000;
/** The longest delay of a deferred message. */
const deliveryIntervalMs = 1_000;
/** From different senders, so that nobody waits for hundreds of another's messages. */
const deliveriesAtOnce = 4;

/**
 * Cleans up after sends: the search index's pending list, expired keys, and notes about the newest messages. It also delivers due messages.
 * Every replica does this; the statements do nothing if another replica just ran them.
 */
export function maintenanceOfMessages(
  pool: Pool,
  of: { readonly uploads: UploadFiles; readonly deferredMessages: DeferredMessages },
  stopping: AbortSignal,
): readonly MaintenanceTask[] {
  return [
    {
      name: 'flushing the search index',
      intervalMs: flushIntervalMs,
      run: async () => flushSearchIndex(pool),
    },
    {
      name: 'noting the newest messages',
      intervalMs: noteIntervalMs,
      run: async () => {
        while ((await noteNewestMessages(pool)) && !stopping.aborted);
      },
    },
    {
      name: 'forgetting old send keys',
      intervalMs: keysIntervalMs,
      run: async () => {
        while ((await deleteOldSendKeys(pool)).mayHaveMore && !stopping.aborted);
      },
    },
    {
      name: 'removing files that nobody has',
      intervalMs: filesIntervalMs,
      run: async () => of.uploads.removeDue(),
    },
    {
      name: 'delivering deferred messages',
      intervalMs: deliveryIntervalMs,
      run: async () => {
        const deliver = async (): Promise<void> => {
          while (!stopping.aborted && (await of.deferredMessages.deliverNext()));
        };
        // Most of the time there is none, and one statement finds that out.
        if (stopping.aborted || !(await of.deferredMessages.deliverNext())) return;
        await Promise.all(Array.from({ length: deliveriesAtOnce }, deliver));
      },
    },
  ];
}
