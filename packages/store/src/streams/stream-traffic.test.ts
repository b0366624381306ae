import { MovedClock } from '@parley/clock';
import type { Queryable } from '@parley/database';
import { expect, it } from 'vitest';

import { StreamTraffic } from './stream-traffic.ts';

it('is counted again after five minutes, and at once after a failure', async () => {
  const clock = new MovedClock();
  const traffic = new StreamTraffic(clock);
  let counts = 0;
  let isAway = false;
  const database = {
    query: () => {
      counts += 1;
      return isAway ? Promise.reject(new Error('away')) : Promise.resolve({ rows: [] });
    },
  } as unknown as Queryable;
  const countAfter = async (ms: number): Promise<number> => {
    await clock.advance(ms);
    await traffic.counts(database).catch(() => undefined);
    return counts;
  };
  expect(await countAfter(0)).toBe(1);
  expect(await countAfter(300_000)).toBe(1);
  expect(await countAfter(1)).toBe(2);
  isAway = true;
  expect(await countAfter(300_001)).toBe(3);
  expect(await countAfter(0)).toBe(4);
});
