import { EventEmitter } from 'node:events';

import { expect, it } from 'vitest';

import { Attempt, UnreadBytes } from './attempt.ts';
import type { AnswerTaking, ForwardedRequest } from './attempt.ts';

const node = { nodeId: 'node', address: '127.0.0.1:1', service: 'messages' };

it.each([
  ['late', 'had all the time', false],
  ['lost', 'did not even answer looks in that time', true],
] as const)('is %s on a node that %s', async (end, _what, isSilent) => {
  const link = { isSilent, send: () => 1, leave: () => undefined, take: () => undefined };
  const forwarded = {
    decoded: { endpoint: { name: 'e', service: 'messages', afterLoss: 'read' }, query: [] },
  } as unknown as ForwardedRequest;
  const attempt = new Attempt({ node, link }, forwarded, {
    waitMs: 1,
    withholdsUnavailable: false,
    wants: 'whole',
    taking: {} as AnswerTaking,
  });
  attempt.expire();
  expect(await attempt.ended).toBe(end);
});

const mebibyte = 1_048_576;

class FakeResponse extends EventEmitter {
  readonly writableLength: number;

  constructor(unreadBytes: number) {
    super();
    this.writableLength = unreadBytes;
  }
}

it('unread answers have one limit for all clients, until their connections end', () => {
  const unread = new UnreadBytes();
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
