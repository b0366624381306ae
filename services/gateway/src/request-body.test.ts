import { describe, expect, it } from 'vitest';

import { findFormField } from './request-body.ts';

describe('findFormField', () => {
  it('reads urlencoded forms, the last value', () => {
    const bytes = Buffer.from('queue_id=a%3A1&x=2&queue_id=b+c');
    expect(findFormField('application/x-www-form-urlencoded', bytes, 'queue_id')).toBe('b c');
    expect(findFormField(undefined, bytes, 'x')).toBe('2');
    expect(findFormField(undefined, bytes, 'y')).toBeUndefined();
    expect(findFormField(undefined, Buffer.alloc(0), 'y')).toBeUndefined();
  });

  it('reads multipart forms', () => {
    const text =
      '--b\r\nContent-Disposition: form-data; name="queue_id"\r\n\r\n17:abc\r\n--b--\r\n';
    expect(findFormField('multipart/form-data; boundary=b', Buffer.from(text), 'queue_id')).toBe(
      '17:abc',
    );
    expect(
      findFormField('multipart/form-data; boundary=b', Buffer.from(text), 'x'),
    ).toBeUndefined();
    expect(findFormField('multipart/form-data', Buffer.from('name="x"'), 'x')).toBeUndefined();
  });
});
