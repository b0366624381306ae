/** Pages of messages that are together longer than an answer may be, in every direction. */
import { expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';

const all = useFixture(() => startMessageFixture());

test('a page of very long messages is shorter and reports that there are more', async () => {
  const { organization, bob, cat } = all;
  await organization.makeStream('long', [bob, cat]);
  const ids: number[] = [];
  for (let n = 0; n < 12; n += 1) ids.push(await bob.client.sendToStream('long', 'x', `${n}`));
  const setLengths = (mib: number, long: readonly number[]): Promise<unknown> =>
    all.pool.query("UPDATE messages SET content = repeat('x', $1) WHERE id = ANY ($2)", [
      mib * 1_048_576,
      long,
    ]);
  const page = async (parameters: Record<string, unknown>): Promise<unknown> => {
    const { ids: found, body } = await fetchMessages(cat, {
      narrow: [['stream', 'long']],
      ...parameters,
    });
    return [found.map((id) => ids.indexOf(id)), body['found_oldest'], body['found_newest']];
  };
  await setLengths(1.5, ids);
  expect(await page({ anchor: 'oldest', num_before: 0, num_after: 50 })).toEqual([
    [0, 1, 2, 3],
    true,
    false,
  ]);
  expect(await page({ anchor: ids[6], num_before: 50, num_after: 50 })).toEqual([
    [2, 3, 4, 5, 6, 7, 8, 9],
    false,
    false,
  ]);
  expect(await page({ anchor: ids[2], num_before: 50, num_after: 1 })).toEqual([
    [0, 1, 2, 3],
    true,
    false,
  ]);
  expect(await page({})).toEqual([[8, 9, 10, 11], false, true]);
  // A client that continues from the last message makes progress, however long the messages are.
  await setLengths(9, ids.slice(2, 10));
  expect(await page({ anchor: ids[6], num_before: 9, num_after: 9 })).toEqual([
    [4, 5, 6, 7],
    false,
    false,
  ]);
});
