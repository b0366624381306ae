import { setImmediate as nextTurn } from 'node:timers/promises';

import { ApiError, limits } from '@parley/api';
import { MovedClock } from '@parley/clock';
import { expect, test } from 'vitest';

import { RegisterLine } from './register-line.ts';
import type { QueueRequest } from './register-queue.ts';

const batchMax = 16;

/** A line whose batches are served when the test says so. */
function openLine(batchesAtOnce = 1) {
  const clock = new MovedClock();
  const batches: { readonly names: readonly string[]; readonly finish: () => void }[] = [];
  const refused: string[] = [];
  const line = new RegisterLine(clock, {
    batchesAtOnce,
    onRefused: (reason) => refused.push(reason),
    serve: async (requests) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const names = requests.map(({ client }) => client);
      batches.push({ names, finish: resolve });
      await promise;
      return names.map((name) =>
        name === 'broken'
          ? { status: 'rejected', reason: new Error('broken') }
          : { status: 'fulfilled', value: { queueId: name, lastEventId: 0, state: {} } },
      );
    },
  });
  const take = async (client: string, ownerId: number): Promise<unknown> => {
    const request: QueueRequest = {
      client,
      ownerId,
      userId: ownerId,
      lifespanSecs: 600,
      signal: new AbortController().signal,
      describe: () => Promise.reject(new Error('only the service itself reads')),
      readState: () => Promise.reject(new Error('only the service itself reads')),
    };
    try {
      return (await line.take(request)).queueId;
    } catch (error) {
      return error instanceof ApiError ? error.status : (error as Error).message;
    }
  };
  return { batches, clock, line, refused, take };
}

test('registers are served in batches, owners in turn, and each gets its own outcome', async () => {
  const { batches, line, take } = openLine(2);
  const names = Array.from({ length: 40 }, (_, n) => `loud ${n}`);
  const taking = [...names.map((name) => take(name, 1)), take('broken', 2), take('quiet', 3)];
  await nextTurn();
  await nextTurn();
  expect(batches.map((batch) => batch.names.length)).toEqual([batchMax, batchMax]);
  // Of the owner who comes with more than all others, one goes before them.
  expect(batches[0]?.names).toEqual(['loud 0', 'broken', 'quiet', ...names.slice(1, 14)]);
  expect(line.waiting).toBe(10);
  batches[0]?.finish();
  await nextTurn();
  await nextTurn();
  expect(batches[2]?.names).toEqual(names.slice(30));
  for (const batch of batches) batch.finish();
  expect(await Promise.all(taking)).toEqual([...names, 'broken', 'quiet']);
  expect(line.waiting).toBe(0);
});

test('a register whose turn does not come in time is refused and counted', async () => {
  const { batches, clock, refused, take } = openLine();
  const first = Promise.all(Array.from({ length: batchMax }, (_, n) => take(`first ${n}`, n)));
  const late = take('late', 1);
  await clock.advance(limits.registerWaitMaxMs - 1);
  expect(refused).toEqual([]);
  await clock.advance(1);
  expect(await late).toBe(503);
  expect(refused).toEqual(['wait']);
  batches[0]?.finish();
  expect(await first).toHaveLength(batchMax);
});
