import { MovedClock } from '@parley/clock';
import { expect, test } from 'vitest';

import { SessionUses } from './session-uses.ts';

const due = (sessionId: number): { sessionId: number; isUseDue: boolean } => ({
  sessionId,
  isUseDue: true,
});

test('sessions that are used together are noted together, and only if it is time', async () => {
  const noted: (readonly number[])[] = [];
  const clock = new MovedClock();
  const uses = new SessionUses({
    clock,
    note: async (sessionIds) => void noted.push(sessionIds),
    onFault: () => undefined,
  });
  uses.add(due(1));
  uses.add(due(2));
  uses.add(due(1));
  uses.add({ sessionId: 3, isUseDue: false });
  await clock.advance(4_999);
  expect(noted).toEqual([]);
  await clock.advance(1);
  expect(noted).toEqual([[1, 2]]);
  await uses.flush();
  expect(noted).toEqual([[1, 2]]);
});

test('while Postgres is away, a use is forgotten and reported, and the next one is noted', async () => {
  const faults: unknown[] = [];
  const noted: (readonly number[])[] = [];
  let isAway = true;
  const uses = new SessionUses({
    clock: new MovedClock(),
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

test('settling notes what waits, until nothing does', async () => {
  const noted: (readonly number[])[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const uses = new SessionUses({
    clock: new MovedClock(),
    note: async (sessionIds) => {
      noted.push(sessionIds);
      await promise;
    },
    onFault: () => undefined,
  });
  expect(await uses.settle()).toBe(true);
  uses.add(due(1));
  const writing = uses.settle();
  expect(noted).toEqual([[1]]);
  expect(await uses.settle()).toBe(false);
  resolve();
  expect(await writing).toBe(false);
  expect(await uses.settle()).toBe(true);
});
