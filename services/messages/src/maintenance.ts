import type { Pool } from '@parley/database';
import type { MaintenanceWork } from '@parley/server';
import { deleteOldSendKeys, flushSearchIndex, noteNewestMessages } from '@parley/store';

import type { DeferredMessages } from './deferring/deferred-messages.ts';
import type { UploadFiles } from './files/upload-files.ts';

/** Short enough that the list stays far below what makes a send flush it. */
const flushIntervalMs = 1_000;
const noteIntervalMs = 1_000;
const keysIntervalMs = 600_000;
const filesIntervalMs = 60_000;
/** A deferred message is at most so late. */
const deliveryIntervalMs = 1_000;
/** Of as many senders, so that nobody waits for another's hundreds. */
const deliveriesAtOnce = 4;

/**
 * Keeps what sends leave behind small: the search index's pending list, keys past their day, and what is not
 * noted yet of the newest messages; and delivers messages whose time has come. Every replica does it; the
 * statements do nothing where another one just did.
 */
export function maintenanceOfMessages(
  pool: Pool,
  of: { readonly uploads: UploadFiles; readonly deferredMessages: DeferredMessages },
  stopping: AbortSignal,
): readonly MaintenanceWork[] {
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
        await Promise.all(Array.from({ length: deliveriesAtOnce }, deliver));
      },
    },
  ];
}
