import { expect, test } from 'vitest';

import { drawOnce } from './draw-once.ts';

test('a picture is drawn once for all requests with its key', async () => {
  const drawn: string[] = [];
  const draw = drawOnce(async (key: string) => {
    drawn.push(key);
    return Buffer.from(key);
  });
  const [first, second] = await Promise.all([draw('day'), draw('day')]);
  expect(second).toBe(first);
  expect(await draw('day')).toBe(first);
  expect(await draw('night')).toEqual(Buffer.from('night'));
  expect(drawn).toEqual(['day', 'night']);
});

test('a failed picture is drawn again for the next request', async () => {
  let attempts = 0;
  const draw = drawOnce(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('no memory');
    return Buffer.from('drawn');
  });
  const [first, second] = await Promise.allSettled([draw('day'), draw('day')]);
  expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
  expect(await draw('day')).toEqual(Buffer.from('drawn'));
  expect(attempts).toBe(2);
});
