import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import type { MaintenanceTask } from '@parley/server';
import {
  countSearchBacklog,
  deleteOldSendKeys,
  flushSearchIndex,
  noteNewestMessages,
  renewSearchWords,
} from '@parley/store';

import type { DeferredMessages } from './deferring/deferred-messages.ts';
import type { UploadFiles } from './files/upload-files.ts';

/** Short enough that the list never reaches the size at which a send flushes it. */
const flushIntervalMs = 1_000;
const noteIntervalMs = 1_000;
const renewIntervalMs = 1_000;
/** A quarter of one core of Postgres. */
const renewedPerRun = 2_000;
const keysIntervalMs = 600_000;
const filesIntervalMs = 60_000;
/** The longest delay of a deferred message. */
const deliveryIntervalMs = 1_000;
/** From different senders, so that nobody waits for hundreds of another's messages. */
const deliveriesAtOnce = 4;

/**
 * Cleans up after sends: the search index's pending list, expired keys, and notes about the newest messages. It also delivers due messages, and
 * makes search words that sends or a release before left.
 * Every replica does this; the statements do nothing if another replica just ran them.
 */
export function maintenanceOfMessages(
  pool: Pool,
  of: {
    readonly uploads: UploadFiles;
    readonly deferredMessages: DeferredMessages;
    readonly log: Logger;
  },
  stopping: AbortSignal,
): readonly MaintenanceTask[] {
  const deliver = async (): Promise<void> => {
    while (!stopping.aborted && (await of.deferredMessages.deliverNext()));
  };
  /** @returns whether nothing was due */
  const deliverDue = async (): Promise<boolean> => {
    // Most of the time there is none, and one statement finds that out.
    if (stopping.aborted || !(await of.deferredMessages.deliverNext())) return true;
    await Promise.all(Array.from({ length: deliveriesAtOnce }, deliver));
    return false;
  };
  const renewWords = async (): Promise<void> => {
    let renewed = 0;
    let below = Number.MAX_SAFE_INTEGER;
    for (let steps = 0; renewed < renewedPerRun && steps < renewedPerRun; steps += 1) {
      if (stopping.aborted) return;
      const done = await transaction(pool, (client) => renewSearchWords(client, below));
      if (done === undefined) break;
      renewed += done.renewed;
      ({ below } = done);
      await flushSearchIndex(pool);
    }
    if (renewed === 0) return;
    const left = await countSearchBacklog(pool);
    of.log.info(
      { renewed, left },
      'search words were made; left is at most how many messages still wait',
    );
  };
  return [
    {
      name: 'making search words',
      intervalMs: renewIntervalMs,
      run: renewWords,
    },
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
      run: deliverDue,
      settle: deliverDue,
    },
  ];
}
