import { EventEmitter } from 'node:events';

import { expect, it } from 'vitest';

import { UnreadAnswers } from './linked-attempt.ts';

const mebibyte = 1_048_576;

class FakeResponse extends EventEmitter {
  readonly writableLength: number;

  constructor(unreadBytes: number) {
    super();
    this.writableLength = unreadBytes;
  }
}

it('unread answers have one limit for all clients, until their connections end', () => {
  const unread = new UnreadAnswers();
  const responses = [new FakeResponse(100 * mebibyte), new FakeResponse(28 * mebibyte)];
  for (const response of responses) unread.keep(response as never);
  expect([unread.hasRoomFor(0), unread.hasRoomFor(1), unread.isFull]).toEqual([true, false, true]);
  responses[1]?.emit('close');
  expect(unread.isFull).toBe(false);
  expect([unread.hasRoomFor(28 * mebibyte), unread.hasRoomFor(29 * mebibyte)]).toEqual([
    true,
    false,
  ]);
});
