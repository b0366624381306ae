import { expect, test } from 'vitest';

import { waitUntil } from './wait-until.ts';

test('the first truthy value is returned, and exceptions before it are ignored', async () => {
  let checks = 0;
  const value = await waitUntil(
    'three questions',
    () => {
      checks += 1;
      if (checks === 1) throw new Error('not there');
      return checks === 3 ? 'there' : undefined;
    },
    { pauseMs: 1 },
  );
  expect(value).toBe('there');
});

test('the error names the condition, its state and its last exception', async () => {
  const cause = new Error('refused');
  const waiting = waitUntil(
    'the impossible',
    () => {
      throw cause;
    },
    { deadlineMs: 5, pauseMs: 1, describe: () => 'nothing yet' },
  );
  await expect(waiting).rejects.toMatchObject({
    message: 'not within 5 ms: the impossible: nothing yet (refused)',
    cause,
  });
});

test('a check that never ends is given up, too', async () => {
  const waiting = waitUntil('an answer', () => new Promise<boolean>(() => {}), { deadlineMs: 5 });
  await expect(waiting).rejects.toMatchObject({
    message: 'not within 5 ms: an answer (a check of it did not end)',
    cause: new Error('a check of it did not end'),
  });
});
