import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  addressOfNarrow,
  allMessages,
  conversationKey,
  conversationOf,
  isSearch,
  mentions,
  narrowKey,
  parseNarrowAddress,
  privateNarrow,
  streamNarrow,
  topicNarrow,
} from './narrow.ts';

const names = {
  streams: { get: () => ({ name: 'general' }) },
  people: { get: () => ({ full_name: 'Iago' }) },
};

describe('addresses of narrows', () => {
  test.each([
    [[], '#all'],
    [topicNarrow(5, 'hello'), '#narrow/stream/5-general/topic/hello'],
    [topicNarrow(5, '50% off+tax'), '#narrow/stream/5-general/topic/50.25.20off.2Btax'],
    [[{ operator: 'pm-with', operand: [7] }], '#narrow/pm-with/7-Iago'],
    [[{ operator: 'pm-with', operand: [7, 9] }], '#narrow/pm-with/7.2C9-group'],
    [[{ operator: 'is', operand: 'starred', negated: true }], '#narrow/-is/starred'],
  ] as const)('%j has the address %s', (narrow, address) => {
    expect(addressOfNarrow(narrow, names)).toBe(address);
    expect(parseNarrowAddress(address)).toEqual({ narrow, near: undefined });
  });

  test('any topic survives its address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (topic, near) => {
        const narrow = topicNarrow(5, topic);
        expect(parseNarrowAddress(addressOfNarrow(narrow, names, near))).toEqual({ narrow, near });
      }),
    );
  });

  test.each(['#narrow/stream', '#narrow/topic/.zz', 'narrow', '#other', '#narrow//x'])(
    '%s is no address of a narrow',
    (fragment) => {
      expect(parseNarrowAddress(fragment)).toBeUndefined();
    },
  );

  test('a narrow to a topic of a stream is a conversation', () => {
    expect(conversationOf(topicNarrow(5, 'x'))).toEqual({
      type: 'stream',
      streamId: 5,
      topic: 'x',
    });
    expect(conversationOf([{ operator: 'stream', operand: 5 }])).toBeUndefined();
  });
});

test.each([
  ['Café', 'CAFE\u0301'],
  ['straße', 'STRASSE'],
])('%s and %s are one topic', (topic, other) => {
  const key = (topic: string) => conversationKey({ type: 'stream', streamId: 5, topic });
  expect(key(topic)).toBe(key(other));
  expect(narrowKey(topicNarrow(5, topic))).toBe(narrowKey(topicNarrow(5, other)));
});

test('what is no view, stream or conversation was searched for', () => {
  const places = [allMessages, mentions, streamNarrow(5), topicNarrow(5, 'x'), privateNarrow([7])];
  expect(places.filter(isSearch)).toEqual([]);
  const words = [{ operator: 'search', operand: 'soup' }];
  expect([words, [...topicNarrow(5, 'x'), ...words]].every(isSearch)).toBe(true);
});
