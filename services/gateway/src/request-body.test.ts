import { describe, expect, it } from 'vitest';

import { formFinder } from './request-body.ts';

describe('formFinder', () => {
  it('reads urlencoded forms, the last value', () => {
    const bytes = Buffer.from('queue_id=a%3A1&x=2&queue_id=b+c');
    expect(formFinder('application/x-www-form-urlencoded', bytes)('queue_id')).toBe('b c');
    expect(formFinder(undefined, bytes)('x')).toBe('2');
    expect(formFinder(undefined, bytes)('y')).toBeUndefined();
    expect(formFinder(undefined, Buffer.alloc(0))('y')).toBeUndefined();
  });

  it('reads multipart forms', () => {
    const text =
      '--b\r\nContent-Disposition: form-data; name="queue_id"\r\n\r\n17:abc\r\n--b--\r\n';
    const find = formFinder('multipart/form-data; boundary=b', Buffer.from(text));
    expect([find('queue_id'), find('x')]).toEqual(['17:abc', undefined]);
    expect(formFinder('multipart/form-data', Buffer.from('name="x"'))('x')).toBeUndefined();
  });
});
