import { MovedClock } from '@parley/clock';
import { createLogger } from '@parley/telemetry/logging';
import { expect, test } from 'vitest';

import { SessionUses } from './session-uses.ts';

const due = (sessionId: number): { sessionId: number; isUseDue: boolean } => ({
  sessionId,
  isUseDue: true,
});

function openUses(): {
  uses: SessionUses;
  noted: (readonly number[])[];
  store: { isAway: boolean };
} {
  const noted: (readonly number[])[] = [];
  const store = { isAway: false };
  const uses = new SessionUses({
    clock: new MovedClock(),
    note: async (sessionIds) => {
      if (store.isAway) throw new Error('away');
      noted.push(sessionIds);
    },
    log: createLogger({ service: 'test', nodeId: 'test', level: 'silent' }),
  });
  return { uses, noted, store };
}

test('sessions that are used together are noted together, and only if it is time', async () => {
  const { uses, noted } = openUses();
  uses.add(due(1));
  uses.add(due(2));
  uses.add(due(1));
  uses.add({ sessionId: 3, isUseDue: false });
  expect(await uses.settle()).toBe(false);
  expect(noted).toEqual([[1, 2]]);
  expect(await uses.settle()).toBe(true);
  await uses.stop();
});

test('while Postgres is away, a use is forgotten, and the next one is noted', async () => {
  const { uses, noted, store } = openUses();
  store.isAway = true;
  uses.add(due(1));
  await uses.settle();
  store.isAway = false;
  uses.add(due(2));
  await uses.stop();
  expect(noted).toEqual([[2]]);
});
