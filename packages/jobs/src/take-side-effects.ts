import { sideEffectsOf } from '@parley/contracts';
import type { LogEntry } from '@parley/contracts';
import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import { readEntriesWithSideEffects, readHead } from '@parley/event-log';
import { addSideEffects, lockSideEffectCursor } from '@parley/store';

const entriesPerStep = 100;
/** A cursor that only follows what brings nothing about is written this seldom; trimming the log can wait for it. */
const idleStepPositions = 10_000;

/**
 * Makes rows of what the log brings about, from where the cursor stands, in the transaction that moves it. Any number of processes
 * may call it.
 *
 * @returns how many effects became rows, and whether there may be more
 */
export async function takeSideEffects(
  pool: Pool,
): Promise<{ readonly taken: number; readonly mayHaveMore: boolean }> {
  return transaction(pool, async (client) => {
    const cursor = await lockSideEffectCursor(client);
    if (cursor === undefined) return { taken: 0, mayHaveMore: false };
    const { endPosition } = await readHead(client);
    const entries = await readEntriesWithSideEffects(
      client,
      { after: cursor, upTo: endPosition },
      entriesPerStep,
    );
    const isFull = entries.length === entriesPerStep;
    const next = isFull ? (entries.at(-1)?.position ?? cursor) : endPosition;
    if (entries.length === 0 && next < cursor + idleStepPositions)
      return { taken: 0, mayHaveMore: false };
    const effects = entries.flatMap(({ position, payload }) =>
      sideEffectsOf(JSON.parse(payload) as LogEntry).map((effect) => ({ position, effect })),
    );
    await addSideEffects(client, effects, next);
    return { taken: effects.length, mayHaveMore: isFull };
  });
}
