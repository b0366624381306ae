import { expect, it } from 'vitest';

import { StreamBytes } from './stream-answer.ts';

const bytes = new StreamBytes([Buffer.from('id: 5\n'), Buffer.from('data: {}\n\n')]);

it.each([
  ['as they are', 'plain', 'id: 5\ndata: {}\n\n'],
  ['as a chunk', 'chunk', '10\r\nid: 5\ndata: {}\n\n\r\n'],
] as const)(
  'bytes %s keep only their own memory while a client does not read them',
  (_, form, text) => {
    const { [form]: written } = bytes;
    expect(written.toString()).toBe(text);
    expect(written.buffer.byteLength).toBe(text.length);
  },
);

it('bytes in one piece are copied too', () => {
  const read = Buffer.alloc(1_000);
  const { plain } = new StreamBytes([read.subarray(0, 10)]);
  expect(plain.buffer.byteLength).toBe(10);
});
