import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';

import { FairLine, TurnMissed } from './fair-line.ts';
import type { LineBounds } from './fair-line.ts';
import { MovedClock } from './moved-clock.ts';

const maxMs = 1_000;

let clock: MovedClock;
let line: FairLine<string>;
/** The work that began, in order. */
let begun: string[];

beforeEach(() => {
  clock = new MovedClock();
  begun = [];
});

function open(bounds: LineBounds): void {
  line = new FairLine(clock, bounds);
}

/** Asks for a turn for work whose first letter is its owner. @returns what becomes of it, after some microtasks */
async function ask(work: string, gone = new AbortController().signal): Promise<unknown> {
  try {
    await line.enter(work.charAt(0), { gone, maxMs });
    begun.push(work);
    return undefined;
  } catch (error) {
    return error instanceof TurnMissed ? error.reason : error;
  }
}

async function askAll(...works: string[]): Promise<void> {
  for (const work of works) void ask(work);
  await settled();
}

async function leave(...owners: string[]): Promise<void> {
  for (const owner of owners) {
    line.leave(owner);
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('there is room for a number of turns, which come at once while there is', async () => {
  open({ atOnceMax: 2 });
  expect([line.enter('a'), line.enter('a')]).toEqual([undefined, undefined]);
  await askAll('a3', 'b1');
  expect([begun, line.waiting, line.isIdle]).toEqual([[], 2, false]);
  await leave('a', 'a');
  expect(begun).toEqual(['a3', 'b1']);
  await leave('a', 'b');
  expect([line.waiting, line.isIdle]).toEqual([0, true]);
});

test('an owner with much waits with the second until others had their first', async () => {
  open({ atOnceMax: 1 });
  await askAll('a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2');
  await leave('a', 'a', 'b', 'c', 'a', 'b');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('where an owner has a bound of turns, another waits for nobody while there is room', async () => {
  open({ atOnceMax: 2, atOnceOfOwnerMax: 1 });
  await askAll('a1', 'a2', 'a3', 'b1', 'b2');
  expect(begun).toEqual(['a1', 'b1']);
  expect(['a', 'c'].map((owner) => line.isBusyFor(owner))).toEqual([true, true]);
  await leave('b');
  expect(begun).toEqual(['a1', 'b1', 'b2']);
  await leave('b');
  expect([line.isBusyFor('a'), line.isBusyFor('c')]).toEqual([true, false]);
  await leave('a', 'a');
  expect(begun).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
});

test.each([
  ['of all', { atOnceMax: 1, waitingMax: 2 }, 'c1'],
  ['of an owner', { atOnceMax: 1, waitingOfOwnerMax: 2 }, 'b3'],
])('beyond the bound %s nobody waits', async (_bound, bounds, beyond) => {
  open(bounds);
  await askAll('a1', 'b1', 'b2');
  expect(await ask(beyond)).toBe('full');
  await leave('a', 'b', 'b');
  expect([begun, line.isIdle]).toEqual([['a1', 'b1', 'b2'], true]);
});

test('a wait ends at its limit, and delays nobody', async () => {
  open({ atOnceMax: 1 });
  await askAll('a1');
  const late = ask('b1');
  await clock.advance(maxMs - 1);
  await askAll('c1');
  expect(line.waiting).toBe(2);
  await clock.advance(1);
  expect(await late).toBe('late');
  await leave('a');
  expect([begun, line.waiting]).toEqual([['a1', 'c1'], 0]);
});

test('who is gone takes no turn', async () => {
  open({ atOnceMax: 1 });
  await askAll('a1');
  const leaving = new AbortController();
  const gone = ask('b1', leaving.signal);
  leaving.abort();
  expect(await gone).toBe('gone');
  expect(await ask('b2', leaving.signal)).toBe('gone');
  await leave('a');
  expect([begun, line.isIdle]).toEqual([['a1'], true]);
});

test('without room of its own a turn comes when it is called, and is known at once', async () => {
  open({ atOnceMax: 0 });
  const called: string[] = [];
  for (const work of ['a1', 'a2', 'b1'])
    void line.enter(work.charAt(0), { onTurn: () => called.push(work) });
  expect([line.callNext(), line.callNext(), called]).toEqual([true, true, ['a1', 'b1']]);
  line.leave('a');
  line.leave('b');
  expect(called).toEqual(['a1', 'b1']);
  expect([line.callNext(), line.callNext(), called]).toEqual([true, false, ['a1', 'b1', 'a2']]);
});

test('whatever comes and goes, no bound is exceeded, and nobody waits while there is room', async () => {
  const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c', 'd'), leaves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, atOnceMax, atOnceOfOwnerMax) => {
        begun = [];
        open({ atOnceMax, atOnceOfOwnerMax });
        const left: string[] = [];
        const asked: string[] = [];
        const running = (owner: string): number =>
          begun.filter((each) => each === owner).length -
          left.filter((each) => each === owner).length;
        for (const { owner, leaves } of steps) {
          if (!leaves) {
            asked.push(owner);
            await askAll(owner);
          } else if (running(owner) > 0) {
            left.push(owner);
            await leave(owner);
          }
          const all = begun.length - left.length;
          expect(all).toBeLessThanOrEqual(atOnceMax);
          for (const each of 'abcd') {
            expect(running(each)).toBeLessThanOrEqual(atOnceOfOwnerMax);
            const waits =
              asked.filter((one) => one === each).length >
              begun.filter((one) => one === each).length;
            if (waits) expect(all === atOnceMax || running(each) === atOnceOfOwnerMax).toBe(true);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
