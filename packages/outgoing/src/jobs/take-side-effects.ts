import {
  callsOf,
  findSideEffectWork,
  readEntriesWithSideEffects,
  readHead,
  sideEffectsOf,
} from '@parley/event-log';
import type { LogEntry, SideEffect } from '@parley/event-log';
import { transaction } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import { addSideEffects, lockSideEffectCursor } from '@parley/store';

const entriesPerStep = 100;
/** If entries have no side effects, the cursor is written once per this many positions; trimming the log can wait for it. */
const idleStepPositions = 10_000;

type Step = {
  readonly effects: readonly { readonly position: number; readonly effect: SideEffect }[];
  readonly next: number;
  readonly isFull: boolean;
};

async function readStep(
  client: Client,
  source: 'changes' | 'messages',
  range: { readonly after: number; readonly upTo: number },
): Promise<Step> {
  const entries = await readEntriesWithSideEffects(client, source, range, entriesPerStep);
  const isFull = entries.length === entriesPerStep;
  return {
    effects: entries.flatMap(({ position, messageId, payload }) => {
      const entry = JSON.parse(payload) as LogEntry;
      const effects = source === 'changes' ? sideEffectsOf(entry) : callsOf(entry, messageId);
      return effects.map((effect) => ({ position, effect }));
    }),
    next: isFull ? (entries.at(-1)?.position ?? range.after) : range.upTo,
    isFull,
  };
}

/**
 * Turns side effects of entries after the cursor into rows, in the transaction that moves the cursor. Any number of processes may call it.
 *
 * @returns how many effects became rows, and whether there may be more
 */
export async function takeSideEffects(
  pool: Pool,
): Promise<{ readonly taken: number; readonly mayHaveMore: boolean }> {
  // A transaction with its lock costs six round trips and a write to the disk.
  if (!(await findSideEffectWork(pool, idleStepPositions))) return { taken: 0, mayHaveMore: false };
  return transaction(pool, async (client) => {
    const cursor = await lockSideEffectCursor(client);
    if (cursor === undefined) return { taken: 0, mayHaveMore: false };
    const { endPosition: upTo } = await readHead(client);
    const changes = await readStep(client, 'changes', { after: cursor.changes, upTo });
    const messages = await readStep(client, 'messages', { after: cursor.messages, upTo });
    const effects = [...changes.effects, ...messages.effects];
    const isIdle =
      changes.next < cursor.changes + idleStepPositions &&
      messages.next < cursor.messages + idleStepPositions;
    if (effects.length === 0 && isIdle) return { taken: 0, mayHaveMore: false };
    await addSideEffects(client, effects, { changes: changes.next, messages: messages.next });
    return { taken: effects.length, mayHaveMore: changes.isFull || messages.isFull };
  });
}
