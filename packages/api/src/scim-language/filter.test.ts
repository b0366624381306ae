import { ApiError } from '../index.ts';
import { hostileText } from '../declare/hostile-text.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseFilter } from './filter.ts';
import { matches } from './match.ts';
import { parsePatch, parsePath } from './patch.ts';

function refusalOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.fields['scimType'];
    throw error;
  }
}

describe('a filter', () => {
  test('compares in any letter case of names and operators', () => {
    expect(parseFilter('UserName Eq "Ann \\"x\\""')).toEqual({
      kind: 'comparison',
      attribute: 'username',
      operator: 'eq',
      value: 'Ann "x"',
    });
    expect(parseFilter('urn:ietf:params:scim:schemas:core:2.0:User:name.formatted pr')).toEqual({
      kind: 'present',
      attribute: 'name.formatted',
    });
  });

  test('binds and before or, and brackets before both', () => {
    const present = (attribute: string): object => ({ kind: 'present', attribute });
    expect(parseFilter('a pr or b pr and not (c pr)')).toEqual({
      kind: 'or',
      parts: [
        present('a'),
        { kind: 'and', parts: [present('b'), { kind: 'not', part: present('c') }] },
      ],
    });
    expect(parseFilter('(a pr or b pr) and emails[type pr or value pr]')).toEqual({
      kind: 'and',
      parts: [
        { kind: 'or', parts: [present('a'), present('b')] },
        { kind: 'or', parts: [present('emails.type'), present('emails.value')] },
      ],
    });
    expect(parseFilter('emails[type pr or primary pr].Value pr and a pr')).toEqual(
      parseFilter('emails[(type pr or primary pr) and value pr] and a pr'),
    );
  });

  test.each([
    '',
    ' ',
    'a',
    'a eq',
    'a eq b',
    'a eq "b',
    'a eq "b" and',
    'a eq "b" c pr',
    'a like "b"',
    'a eq "\\x"',
    'a eq "\\u0000"',
    'a eq "\u0001"',
    'a eq 1e999',
    'not a pr',
    '(a pr',
    'a pr)',
    'a[b[c pr]]',
    'a[b pr',
    'a[b pr].c',
    'a[b pr].c[d pr]',
    'a[b pr].c.d pr',
    'a[b pr]c pr',
    '"a" eq "b"',
    "a' OR 1=1 -- eq 'x'",
    '__proto__ eq "x"',
    `${'('.repeat(11)}a pr${')'.repeat(11)}`,
    '('.repeat(1_999),
    Array.from({ length: 51 }, () => 'a pr').join(' or '),
    `a eq "${'x'.repeat(2_000)}"`,
    `a eq "${'\\'.repeat(1_900)}`,
    `a eq "${'\n'.repeat(1_900)}`,
  ])('%j is refused', (text) => {
    expect(refusalOf(() => parseFilter(text))).toBe('invalidFilter');
  });

  test('is read or refused, whatever its text', () => {
    const words = fc.constantFrom(
      'a',
      'eq',
      '"x"',
      '(',
      ')',
      '[',
      ']',
      'and',
      'or',
      'not',
      'pr',
      '1',
      '.a',
    );
    const texts = fc.oneof(
      hostileText,
      fc.array(words).map((list) => list.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const type = refusalOf(() => matches(parseFilter(text), new Map()));
        return type === undefined || type === 'invalidFilter';
      }),
    );
  });

  test('is compared with values in memory', () => {
    const values = new Map<string, string | boolean>([
      ['type', 'work'],
      ['primary', true],
    ]);
    const isMet = (text: string): boolean => matches(parseFilter(text), values);
    for (const text of [
      'type eq "WORK"',
      'type ne "home"',
      'type co "or" and type sw "w" and type ew "k"',
      'type gt "a" and type ge "work" and type lt "x" and type le "work"',
      'primary eq true',
      'primary eq "True"',
      'value eq null',
      'not (value pr)',
      'value ne "x"',
    ])
      expect([text, isMet(text)]).toEqual([text, true]);
    for (const text of ['type eq "home"', 'value eq "x"', 'value gt null', 'type eq null'])
      expect([text, isMet(text)]).toEqual([text, false]);
  });
});

describe('a path', () => {
  test('names an attribute, a part of it, or elements of a list', () => {
    expect(parsePath('name.givenName')).toEqual({ attribute: 'name.givenname', filter: undefined });
    expect(parsePath('emails[type eq "work"].value')).toEqual({
      attribute: 'emails.value',
      filter: { kind: 'comparison', attribute: 'type', operator: 'eq', value: 'work' },
    });
    expect(parsePath('urn:ietf:params:scim:schemas:core:2.0:Group:members')).toMatchObject({
      attribute: 'members',
    });
  });

  test.each([
    '',
    'a b',
    'a[b pr]c',
    'a[b pr].c d',
    'a]',
    '__proto__',
    'constructor.__proto__',
    'a.b.c',
  ])('%j is refused', (text) => {
    expect(['invalidPath', 'invalidFilter']).toContain(refusalOf(() => parsePath(text)));
  });
});

describe('a patch', () => {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  const operation = { op: 'Replace', path: 'active', value: 'False' };

  test('has operations in any letter case', () => {
    expect(parsePatch({ schemas, Operations: [operation] })).toEqual([
      { op: 'replace', path: { attribute: 'active', filter: undefined }, value: 'False' },
    ]);
  });

  test.each([
    ['no object', [], 'invalidSyntax'],
    ['nothing', null, 'invalidSyntax'],
    ['no schema', { Operations: [operation] }, 'invalidSyntax'],
    ['no operations', { schemas, Operations: [] }, 'invalidSyntax'],
    ['operations that are none', { schemas, Operations: [null] }, 'invalidSyntax'],
    ['an unknown operation', { schemas, Operations: [{ op: 'move' }] }, 'invalidSyntax'],
    ['a removal of nothing', { schemas, Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['a path that is no text', { schemas, Operations: [{ op: 'add', path: 5 }] }, 'invalidPath'],
    ['a value for no path', { schemas, Operations: [{ op: 'add', value: [1] }] }, 'invalidValue'],
    [
      'too many operations',
      { schemas, Operations: Array.from({ length: 1_001 }, () => operation) },
      'tooMany',
    ],
  ])('with %s is refused', (_what, body, type) => {
    expect(refusalOf(() => parsePatch(body))).toBe(type);
  });
});
