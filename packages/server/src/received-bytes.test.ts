import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ReceivedBytes } from './received-bytes.ts';

test('pieces are joined in order, and stay unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3000 })), (pieces) => {
      const received = new ReceivedBytes();
      for (const piece of pieces) received.add(Buffer.from(piece));
      const whole = Buffer.concat(pieces);
      expect(received.length).toBe(whole.length);
      expect(received.whole().equals(whole)).toBe(true);
      received.clear();
      expect(received.whole()).toHaveLength(0);
    }),
  );
  const first = Buffer.from('first');
  const received = new ReceivedBytes();
  received.add(first);
  received.add(Buffer.from(' second'));
  expect([first.toString(), received.whole().toString()]).toEqual(['first', 'first second']);
});
