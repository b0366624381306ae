import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ApiError } from '../errors.ts';
import { parseTypingRecipients } from './typing-recipients-parameter.ts';

const parse = (raw: string): object => parseTypingRecipients(raw, 'to');

describe('parseTypingRecipients', () => {
  it.each([
    ['[3,4,3]', { kind: 'ids', ids: [3, 4] }],
    ['["a@b.c"," d@e.f ","a@b.c"]', { kind: 'emails', emails: ['a@b.c', 'd@e.f'] }],
    ['"a@b.c, d@e.f"', { kind: 'emails', emails: ['a@b.c', 'd@e.f'] }],
    ['a@b.c,d@e.f,,a@b.c', { kind: 'emails', emails: ['a@b.c', 'd@e.f'] }],
    ['[a@b.c]', { kind: 'emails', emails: ['[a@b.c]'] }],
    ['', { kind: 'emails', emails: [] }],
    ['[]', { kind: 'emails', emails: [] }],
    ['null', { kind: 'emails', emails: [] }],
  ])('reads %s', (raw, expected) => {
    expect(parse(raw)).toEqual(expected);
  });

  it.each([
    '5',
    '["a@b.c",5]',
    '[1.5]',
    '{}',
    'true',
    '[null]',
    '[[1]]',
    '[1e300]',
    '[5.0]',
    '[7,5e0]',
  ])('refuses %s', (raw) => {
    expect(() => parse(raw)).toThrow(`Bad value for 'to': ${raw}`);
  });

  it('refuses or reads any text', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
    fc.assert(
      fc.property(texts, (raw) => {
        try {
          parse(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});
