import { expect, test } from 'vitest';

import { SessionUses } from './session-uses.ts';

const due = (sessionId: number): { sessionId: number; isUseDue: boolean } => ({
  sessionId,
  isUseDue: true,
});

test('sessions that are used together are noted together, and only if it is time', async () => {
  const noted: (readonly number[])[] = [];
  const uses = new SessionUses({
    note: async (sessionIds) => void noted.push(sessionIds),
    onFault: () => undefined,
    delayMs: 1,
  });
  uses.add(due(1));
  uses.add(due(2));
  uses.add(due(1));
  uses.add({ sessionId: 3, isUseDue: false });
  await expect.poll(() => noted).toEqual([[1, 2]]);
  await uses.flush();
  expect(noted).toEqual([[1, 2]]);
});

test('while Postgres is away, a use is forgotten and reported, and the next one is noted', async () => {
  const faults: unknown[] = [];
  const noted: (readonly number[])[] = [];
  let isAway = true;
  const uses = new SessionUses({
    note: async (sessionIds) => {
      if (isAway) throw new Error('away');
      noted.push(sessionIds);
    },
    onFault: (error) => faults.push(error),
  });
  uses.add(due(1));
  await uses.flush();
  isAway = false;
  uses.add(due(2));
  await uses.flush();
  expect(faults).toHaveLength(1);
  expect(noted).toEqual([[2]]);
});
