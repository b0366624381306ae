import { ApiError } from '../errors.ts';
import { expect, test } from 'vitest';

import { parseNarrow } from './narrow-parameter.ts';

function refusalOf(raw: string): Record<string, unknown> {
  try {
    parseNarrow(raw, 'narrow');
  } catch (error) {
    if (error instanceof ApiError) return error.toBody();
    throw error;
  }
  throw new Error('nothing was refused');
}

test('both encodings are equivalent and may be mixed', () => {
  const term = { operator: 'stream', operand: 'Denmark', negated: false };
  expect(
    parseNarrow(
      '[["stream","Denmark"],{"operator":"topic","operand":"Denmark","other":1}]',
      'narrow',
    ),
  ).toEqual([term, { ...term, operator: 'topic' }]);
  expect(parseNarrow('[]', 'narrow')).toEqual([]);
});

test('repeated terms count once, in either encoding', () => {
  const said = '["is","unread"],{"operator":"is","operand":"unread"},["topic","1"]';
  const unread = { operator: 'is', operand: 'unread', negated: false };
  expect(parseNarrow(`[${Array(2_000).fill(said).join(',')}]`, 'narrow')).toEqual([
    unread,
    { ...unread, operator: 'topic', operand: '1' },
  ]);
  expect(parseNarrow('[["stream","1"],{"operator":"stream","operand":1}]', 'narrow')).toHaveLength(
    2,
  );
});

test('more than fifty different terms are too many', () => {
  const topics = Array.from({ length: 51 }, (_, n) => ['topic', String(n)]);
  expect(parseNarrow(JSON.stringify(topics.slice(1)), 'narrow')).toHaveLength(50);
  expect(refusalOf(JSON.stringify(topics))).toMatchObject({
    code: 'BAD_NARROW',
    desc: 'too many terms',
    msg: 'Invalid narrow operator: too many terms',
  });
});

test('any truthy value negates, underscores equal hyphens, and later names are known', () => {
  expect(
    parseNarrow(
      '[{"operator":"pm_with","operand":[1,2],"negated":1},["subject","x"],["dm","a@x"],["channel","b"]]',
      'narrow',
    ),
  ).toEqual([
    { operator: 'pm-with', operand: [1, 2], negated: true },
    { operator: 'topic', operand: 'x', negated: false },
    { operator: 'pm-with', operand: 'a@x', negated: false },
    { operator: 'stream', operand: 'b', negated: false },
  ]);
});

test("a name from JavaScript's objects is no operator", () => {
  expect(parseNarrow('[["constructor","x"],["to_string","y"]]', 'narrow')).toEqual([
    { operator: 'constructor', operand: 'x', negated: false },
    { operator: 'to-string', operand: 'y', negated: false },
  ]);
});

test('a backslash before digits is not NUL', () => {
  const raw = JSON.stringify([['search', String.raw`a\u0000b`]]);
  expect(parseNarrow(raw, 'narrow')).toEqual([
    { operator: 'search', operand: String.raw`a\u0000b`, negated: false },
  ]);
});

test.each([
  '[["search","a\\u0000b"]]',
  '[{"operator":"topic","operand":"\\u0000"}]',
  'x',
  '{}',
  '1',
  '[1]',
  '["a"]',
  '[["stream"]]',
  '[["stream",5]]',
  '[["stream","a","b"]]',
  '[null]',
])('%s is an invalid value', (raw) => {
  expect(refusalOf(raw)).toMatchObject({
    code: 'REQUEST_VARIABLE_INVALID',
    msg: `Bad value for 'narrow': ${raw}`,
  });
});

test.each([
  ['[{"operand":"a"}]', 'operator key is missing from elem'],
  ['[{"operator":"stream"}]', 'operand key is missing from elem'],
  ['[{"operator":5,"operand":"a"}]', 'elem["operator"] is not a string'],
  ['[{"operator":"stream","operand":[]}]', 'elem["operand"] is not a string or integer'],
  ['[{"operator":"stream","operand":5.0}]', 'elem["operand"] is not a string or integer'],
  ['[{"operator":"sender","operand":5e0}]', 'elem["operand"] is not a string or integer'],
  ['[{"operator":"id","operand":5.0}]', 'elem["operand"] is not a string'],
  ['[{"operator":"id","operand":9007199254740993}]', 'elem["operand"] is not a string'],
  ['[{"operator":"pm-with","operand":[5,6.0]}]', 'elem["operand"][1] is not an integer'],
  ['[{"operator":"topic","operand":5}]', 'elem["operand"] is not a string'],
  ['[{"operator":"pm-with","operand":5}]', 'elem["operand"] is not a string or an integer list'],
  ['[{"operator":"pm-with","operand":["a"]}]', 'elem["operand"][0] is not an integer'],
])('%s is refused: %s', (raw, msg) => {
  expect(refusalOf(raw)).toMatchObject({ code: 'BAD_REQUEST', msg });
});
