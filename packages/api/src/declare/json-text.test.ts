import { ApiError } from '../errors.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hostileText } from './hostile-text.ts';
import { refusalOf } from './refusal-of.ts';
import { parseJson, parseJsonBody, parseJsonParameter, wasFloatLiteral } from './json-text.ts';

const parse = (text: string) => parseJsonParameter(text, 'x')[''];

describe('parseJsonParameter', () => {
  it('reads back every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('\\u0000') && !/\d{16}/.test(text));
        expect(JSON.stringify(parse(text))).toBe(text);
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts when it reads with its own parser', () => {
    const words = String.raw`"a" \" \u0041 "a":1 "__proto__" true null 1 -0 1.5 2e3 01 .5`;
    const pieces = fc.constantFrom(...Array.from('{}[]":, \n\\\té/\u2028'), ...words.split(' '));
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((some) => some.join('')),
      fc.tuple(fc.jsonValue(), fc.nat(), fc.string({ maxLength: 2 })).map(([value, at, other]) => {
        const whole = JSON.stringify(value);
        const cut = at % (whole.length + 1);
        return whole.slice(0, cut) + other + whole.slice(cut + other.length);
      }),
    );
    fc.assert(
      fc.property(text, (inner) => {
        // The first number makes JSON.parse unusable.
        const whole = `[1.5,${inner}]`;
        fc.pre(!/\\u(?:0000|d[89a-f])|\d{16}|e[+-]?\d{2}/i.test(whole) && !inner.includes('\0'));
        let expected: unknown;
        try {
          expected = JSON.parse(whole);
        } catch {
          expected = undefined;
        }
        const parsed = parseJson(whole);
        expect('holder' in parsed ? parsed.holder[''] : undefined).toEqual(expected);
      }),
    );
  });

  it('refuses more than 200,000 values', () => {
    const list = (count: number): string => `[${'[],'.repeat(count - 2)}[]]`;
    expect(parse(list(200_000))).toHaveLength(199_999);
    expect(() => parse(list(200_001))).toThrow('Argument "x" is not valid JSON.');
  });

  it('throws nothing but ApiError, whatever the text', () => {
    const text = fc.oneof(
      hostileText,
      fc
        .array(fc.constantFrom(...Array.from('{}[]":,-9'), '\\u', '0000', 'd800', '1e', 'null'))
        .map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (hostile) => {
        expect(refusalOf(() => parse(hostile))?.code ?? 'read').toBeTypeOf('string');
      }),
    );
    expect(() => parse('['.repeat(200_000))).toThrow(ApiError);
  });

  it.each([
    'True',
    "'x'",
    '',
    'NaN',
    'Infinity',
    '1e999',
    '18446744073709551616',
    '-9223372036854775809',
    '[1,]',
    '{"a":1,}',
  ])('refuses %s as not JSON', (text) => {
    expect(() => parse(text)).toThrow('Argument "x" is not valid JSON.');
  });

  it('reads integers beyond the safe range as its bounds', () => {
    expect(parse('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
    expect(parse('[18446744073709551615]')).toEqual([Number.MAX_SAFE_INTEGER]);
    expect(parse('-9223372036854775808')).toBe(Number.MIN_SAFE_INTEGER);
  });

  it('remembers which integers were written with a fraction or an exponent', () => {
    const { holder } = parseJson('[5, 5.0, 5e0, {"a": 7.0}]') as { holder: { '': unknown[] } };
    const list = holder[''];
    expect(list.slice(0, 3)).toEqual([5, 5, 5]);
    expect([0, 1, 2].map((index) => wasFloatLiteral(list, String(index)))).toEqual([
      false,
      true,
      true,
    ]);
    expect(wasFloatLiteral(list[3] as object, 'a')).toBe(true);
    const root = parseJsonParameter('5.0', 'x');
    expect(wasFloatLiteral(root, '')).toBe(true);
  });

  it('refuses U+0000 in values and names', () => {
    for (const text of [
      String.raw`"a\u0000"`,
      String.raw`{"a\u0000":1}`,
      String.raw`[["\u0000"]]`,
    ]) {
      expect(() => parse(text)).toThrow("Bad value for 'x'");
    }
  });

  it('replaces lone surrogates, which no store can hold', () => {
    expect(parse(String.raw`["\ud800", "\uD83D\uDE00"]`)).toEqual(['\ufffd', '😀']);
    expect(parse(String.raw`{"\udfff": 1}`)).toEqual({ '\ufffd': 1 });
  });
});

describe('parseJsonBody', () => {
  it('accepts a trailing comma inside an object, never inside a text or an array', () => {
    expect(parseJsonBody('{"a": {"b": ",}",}, }')).toEqual({ a: { b: ',}' } });
    expect(() => parseJsonBody('[1,]')).toThrow('Malformed JSON');
    expect(() => parseJsonBody('')).toThrow('Malformed JSON');
  });

  it('replaces U+0000 in values and names, also together with a trailing comma', () => {
    const text = String.raw`{"a\u0000b": ["\u0000", "\\u0000", 5.0], "c": "d"`;
    const value = { 'a\ufffdb': ['\ufffd', String.raw`\u0000`, 5], c: 'd' };
    expect(parseJsonBody(`${text}}`)).toEqual(value);
    expect(parseJsonBody(`${text},}`)).toEqual(value);
  });
});
