import { EventEmitter } from 'node:events';

import { expect, it } from 'vitest';

import { UntakenAnswers } from './linked-attempt.ts';

const mebibyte = 1_048_576;

class FakeResponse extends EventEmitter {
  readonly writableLength: number;

  constructor(untakenBytes: number) {
    super();
    this.writableLength = untakenBytes;
  }
}

it('what clients do not take has a bound over all of them, until their connections are over', () => {
  const untaken = new UntakenAnswers();
  const responses = [new FakeResponse(100 * mebibyte), new FakeResponse(28 * mebibyte)];
  for (const response of responses) untaken.keep(response as never);
  expect([untaken.hasRoomFor(0), untaken.hasRoomFor(1), untaken.isFull]).toEqual([
    true,
    false,
    true,
  ]);
  responses[1]?.emit('close');
  expect(untaken.isFull).toBe(false);
  expect([untaken.hasRoomFor(28 * mebibyte), untaken.hasRoomFor(29 * mebibyte)]).toEqual([
    true,
    false,
  ]);
});
