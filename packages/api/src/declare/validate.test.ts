import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { endpoints } from '../endpoints.ts';
import { ApiError } from '../errors.ts';
import { refusalOf } from './refusal-of.ts';
import type { JsonSchema } from './json-schema.ts';
import { parseJsonParameter } from './json-text.ts';
import { makeCheck } from './validate.ts';

function refusal(schema: JsonSchema, text: string): string {
  const refused = refusalOf(() => makeCheck(schema)(parseJsonParameter(text, 'v'), 'v'));
  return refused === undefined
    ? 'accepted'
    : `${refused.message}${refused.code === 'BAD_REQUEST' ? '' : '?'}`;
}

const streams: JsonSchema = {
  type: 'array',
  maxItems: 3,
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, ids: { type: 'array', items: { type: 'integer' } } },
    required: ['name'],
    additionalProperties: false,
  },
};

it('accepts true as 1 and false as 0 for integers only', () => {
  const schema: JsonSchema = {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        ids: { type: 'array', items: { type: 'integer' } },
        flags: { type: 'array', items: { type: 'boolean' } },
        any: {},
      },
    },
  };
  const check = (text: string, of: JsonSchema): unknown =>
    makeCheck(of)(parseJsonParameter(text, 'v'), 'v');
  expect(check('true', { type: 'integer' })).toBe(1);
  expect(check('[{"ids":[true,5,false],"flags":[true],"any":true,"other":true}]', schema)).toEqual([
    { ids: [1, 5, 0], flags: [true], any: true, other: true },
  ]);
});

describe('texts of the reference facts, people 2.4', () => {
  it.each<[JsonSchema, string, string]>([
    [{ type: 'string' }, '1', 'v is not a string'],
    [{ type: 'integer' }, '"5"', 'v is not an integer'],
    [{ type: 'integer' }, '5.0', 'v is not an integer'],
    [{ type: 'integer' }, '5.5', 'v is not an integer'],
    [{ type: ['integer', 'null'] }, '5.0', 'v is not an integer'],
    [{ type: ['string', 'integer'] }, '5e0', 'v is not a string or integer'],
    [{ type: ['string', 'integer'] }, '[]', 'v is not a string or integer'],
    [{ type: 'integer' }, 'true', 'accepted'],
    [{ type: 'integer', enum: [1, 2] }, 'false', 'Invalid v'],
    [{ type: 'integer' }, '5', 'accepted'],
    [{ type: 'number' }, '5.0', 'accepted'],
    [{ type: 'number' }, '"5"', 'v is not a float'],
    [{ type: 'boolean' }, '1', 'v is not a boolean'],
    [{ type: 'boolean' }, 'null', 'v is not a boolean'],
    [{ type: 'array', items: { type: 'integer' } }, '{}', 'v is not a list'],
    [{ type: 'array', items: { type: 'integer' } }, '[1,"a","b"]', 'v[1] is not an integer'],
    [{ type: 'array', items: { type: 'integer' } }, '[1,2.0]', 'v[1] is not an integer'],
    [{ type: 'object' }, '[]', 'v is not a dict'],
    [{ type: 'string', format: 'date' }, '"2020-02-30"', 'v is not a date'],
    [{ type: 'string', format: 'date' }, '"2020-02-29"', 'accepted'],
    [{ type: 'string', format: 'date' }, '"1909-3-5"', 'accepted'],
    [{ type: 'string', format: 'date' }, '"1909-3-32"', 'v is not a date'],
    [{ type: 'string', format: 'date' }, '"1909-003-05"', 'v is not a date'],
    [{ type: 'string', format: 'date' }, '"909-3-5"', 'v is not a date'],
    [{ type: 'string', format: 'date' }, '"0000-1-1"', 'v is not a date'],
    [{ type: 'string', format: 'url' }, '"nothing"', 'v is not a URL'],
    [{ type: 'string', format: 'url' }, '"https://example.com/x"', 'accepted'],
    [{ type: 'string', format: 'url' }, '"https://a:b.@[::ffff:127.0.0.1]:1/x..y"', 'accepted'],
    [{ type: 'string', format: 'url' }, '"http://127.0.0.:5002"', 'v is not a URL'],
    [{ type: 'string', format: 'url' }, '"http://a@127.0.0%2e:5002/"', 'v is not a URL'],
    [{ type: 'string', format: 'url' }, '"http://127.0.0\u3002"', 'v is not a URL'],
    [{ type: 'string', format: 'url' }, '"http://.example.com"', 'v is not a URL'],
    [{ type: 'string', format: 'url' }, '"http://a..example.com\\\\b"', 'v is not a URL'],
    [{ type: 'string', format: 'url' }, '"http://:80"', 'v is not a URL'],
    [{ type: 'string', format: 'hex-color' }, '"f00"', 'v is not a valid hex color code'],
    [{ type: 'string', format: 'hex-color' }, '"#f00"', 'accepted'],
    [{ type: 'string', notBlank: true }, '"  "', 'v cannot be blank.'],
    [{ type: 'string', minLength: 1 }, '""', 'v cannot be blank.'],
    [{ type: 'string', maxLength: 3 }, '"😀😀😀😀"', 'v is too long (limit: 3 characters)'],
    [{ type: 'string', maxLength: 4 }, '"😀😀😀😀"', 'accepted'],
    [
      { type: 'string', minLength: 2, maxLength: 2 },
      '"abc"',
      'v has incorrect length 3; should be 2',
    ],
    [{ type: 'integer', enum: [1, 2] }, '3', 'Invalid v'],
    [{ type: 'integer', enum: [1, 2] }, '"3"', 'v is not an integer'],
    [{ type: 'array', minItems: 2, maxItems: 2 }, '[1]', 'v should have exactly 2 items'],
    [
      { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
      '[1]',
      'v should have exactly 2 items',
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      '{"a":1}',
      'v["a"] is not a string',
    ],
    [
      { type: 'object', additionalProperties: { type: 'string', refusal: 'is wrong here' } },
      '{"a":1}',
      'v["a"] is wrong here',
    ],
    [{ type: ['string', 'integer'] }, '[]', 'v is not a string or integer'],
    [{ type: ['boolean', 'null'] }, '1', 'v is not a boolean'],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, '1', 'v is not an allowed_type'],
    [
      {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }],
        refusal: 'is not a string or an integer list',
      },
      '["a"]',
      'v is not a string or an integer list',
    ],
    [{ const: 1 }, '2', 'v != 1 (2 is wrong)'],
    [streams, '[{"name":"a"},{}]', 'name key is missing from v[1]'],
    [streams, '[{"name":1}]', 'v[0]["name"] is not a string'],
    [streams, '[{"name":"a","ids":[1,"2"]}]', 'v[0]["ids"][1] is not an integer'],
    [streams, '[{"name":"a","z":1,"b":2}]', 'Unexpected arguments: b, z'],
    [streams, '[1,2,3,4]', 'v is too long (limit: 3 items)'],
    [
      { type: 'object', properties: { 'a/b~c': { type: 'string' } } },
      '{"a/b~c":1}',
      'v["a/b~c"] is not a string',
    ],
  ])('%j and %s: %s', (schema, text, expected) => {
    expect(refusal(schema, text)).toBe(expected);
  });

  it('names the first invalid item', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 20 }), (list) => {
        const first = list.findIndex((item) => typeof item === 'string');
        fc.pre(!JSON.stringify(list).includes('\\u0000'));
        expect(refusal({ type: 'array', items: { type: 'integer' } }, JSON.stringify(list))).toBe(
          first < 0 ? 'accepted' : `v[${first}] is not an integer`,
        );
      }),
    );
  });

  it('accepts or refuses any JSON with an ApiError', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes('\\u0000'));
        expect(refusal(streams, text)).toBeTypeOf('string');
      }),
    );
  });
});

describe('schemas', () => {
  const checkText = (schema: unknown): unknown =>
    makeCheck(schema as JsonSchema)(parseJsonParameter('"text"', 'v'), 'v');

  it('fail at the first check if they are invalid', () => {
    expect(() => checkText({ type: 'strnig' })).toThrow(/type/);
    expect(() => checkText({ unknownKeyword: 1 })).toThrow(/unknown keyword/);
  });

  it('of all parameters are valid', () => {
    const read = endpoints.flatMap(({ name, parameters }) =>
      parameters.map((parameter) => {
        try {
          return parameter.decode('"text"');
        } catch (error) {
          expect(error, `${parameter.name} of ${name}`).toBeInstanceOf(ApiError);
          return error;
        }
      }),
    );
    expect(read.length).toBeGreaterThan(400);
  });
});
