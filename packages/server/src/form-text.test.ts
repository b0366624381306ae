import { ApiError } from '@parley/api';
import { hostileText } from '@parley/api/hostile-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeForm, decoderFor } from './form-text.ts';

const decoded = (form: string) => Object.fromEntries(decodeForm(form));

describe('decodeForm', () => {
  it('reads back what URLSearchParams writes', () => {
    const value = hostileText.map((text) => text.toWellFormed());
    const name = value.filter((text) => text !== '');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 20 }), (pairs) => {
        const text = new URLSearchParams(pairs).toString();
        expect(decodeForm(text)).toEqual(new Map(pairs));
      }),
    );
  });

  // Raw letters beyond ASCII are left out: URLSearchParams of Node loses them beside an undecodable escape.
  it('agrees with URLSearchParams for any text', () => {
    const piece = fc.constantFrom(
      'a',
      '=',
      '&',
      '+',
      '%',
      '%2',
      '%41',
      '%ff',
      '%c3%a9',
      ';',
      '%00',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(decodeForm(text)).toEqual(new Map(new URLSearchParams(`&${text}`)));
      }),
    );
  });

  it('splits at & only', () => {
    expect(decoded('a=1;b=2&c=3')).toEqual({ a: '1;b=2', c: '3' });
  });

  it('returns the last value of a repeated name', () => {
    expect(decoded('a=1&a=2&a=')).toEqual({ a: '' });
  });

  it('replaces only undecodable bytes', () => {
    expect(decoded('a=x%ffy%e2%82%acz&b=100%&c=%zz')).toEqual({
      a: 'x\ufffdy€z',
      b: '100%',
      c: '%zz',
    });
  });

  it('treats names such as __proto__ as ordinary names', () => {
    expect(decodeForm('__proto__=1').get('__proto__')).toBe('1');
  });

  it('decodes by the charset of the Content-Type', () => {
    expect(decodeForm('a=%e9', { decoder: decoderFor('iso-8859-1') }).get('a')).toBe('é');
    expect(decodeForm('a=%c3%a9', { decoder: decoderFor('no-such-charset') }).get('a')).toBe('é');
  });

  it('refuses more than 1000 fields', () => {
    expect(decodeForm('a=1&'.repeat(1000)).size).toBe(1);
    expect(() => decodeForm('a=1&'.repeat(1001))).toThrow(ApiError);
  });
});
