import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { addressOfNarrow, conversationOf, parseNarrowAddress, topicNarrow } from './narrow.ts';

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
