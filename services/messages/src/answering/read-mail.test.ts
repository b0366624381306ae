import { MovedClock } from '@parley/clock';
import { expect, test } from 'vitest';

import { MailReader } from './read-mail.ts';

const wallTimeMs = 20_000;

function mail(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`From: a@example.com\r\nSubject: x\r\n\r\n${text}\r\n`);
}

test('a mail that takes too long is refused for now, and the next one is read', async () => {
  const clock = new MovedClock();
  const reader = new MailReader(clock);
  const late = reader.read(mail('late')).catch((error: unknown) => error);
  // Its thread has begun when the promises that are settled already were followed.
  await Promise.resolve();
  await clock.advance(wallTimeMs);
  expect(await late).toMatchObject({
    responseCode: 451,
    message: '4.3.1 The mail took too long to read',
  });
  const next = reader.read(mail('next'));
  await Promise.resolve();
  await clock.advance(wallTimeMs - 1);
  expect(await next).toMatchObject({ answer: 'next', files: [] });
  expect(clock.nextInMs, 'no limit stays').toBeUndefined();
});
