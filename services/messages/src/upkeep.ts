import type { Pool } from '@parley/database';
import type { ServiceFrame } from '@parley/http';
import { deleteOldSendKeys, flushSearchIndex, noteNewestMessages } from '@parley/store';

import type { UploadFiles } from './files/upload-files.ts';

/** Short enough that the list stays far below what makes a send flush it. */
const flushIntervalMs = 1_000;
const noteIntervalMs = 1_000;
const keysIntervalMs = 600_000;
const filesIntervalMs = 60_000;

/**
 * Keeps what sends leave behind small: the search index's pending list, keys past their day, and what is not
 * noted yet of the newest messages. Every replica does it; the
 * statements do nothing where another one just did.
 */
export function startUpkeep(frame: ServiceFrame, pool: Pool, uploads: UploadFiles): void {
  const running = new Map<string, Promise<void>>();
  const every = (intervalMs: number, name: string, work: () => Promise<void>): NodeJS.Timeout =>
    setInterval(() => {
      // A slow database gets no second piece of the same work on top.
      if (running.has(name)) return;
      const started = work()
        .catch((error: unknown) =>
          frame.log.warn({ err: error }, `${name} failed; it is tried again`),
        )
        .finally(() => running.delete(name));
      running.set(name, started);
    }, intervalMs);
  const timers = [
    every(flushIntervalMs, 'flushing the search index', async () => flushSearchIndex(pool)),
    every(noteIntervalMs, 'noting the newest messages', async () => {
      while ((await noteNewestMessages(pool)) && !frame.stopping.aborted);
    }),
    every(keysIntervalMs, 'forgetting old send keys', async () => {
      while ((await deleteOldSendKeys(pool)).mayHaveMore && !frame.stopping.aborted);
    }),
    every(filesIntervalMs, 'removing files that nobody has', async () => uploads.removeDue()),
  ];
  frame.onDispose('upkeep', async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running.values());
  });
}
