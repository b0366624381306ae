import { ApiError } from '../errors.ts';
import { describe, expect, test } from 'vitest';

import { parseRecipients } from './recipients-parameter.ts';

describe('to', () => {
  test.each([
    ['Denmark', ['Denmark']],
    ['"Denmark"', ['Denmark']],
    ['["Denmark"]', ['Denmark']],
    ['["a, b"]', ['a, b']],
    ['a@x.org, b@x.org', ['a@x.org', 'b@x.org']],
    ['"a@x.org,b@x.org"', ['a@x.org', 'b@x.org']],
    ['["a@x.org"," ","a@x.org "]', ['a@x.org']],
    ['', []],
    ['[]', []],
    ['["", " "]', []],
    ['{not json', ['{not json']],
  ])('%j contains the names %j', (raw, names) => {
    expect(parseRecipients(raw, 'to')).toEqual({ kind: 'names', names });
  });

  test.each([
    ['[9,10,9]', [9, 10]],
    ['5', [5]],
  ])('%j contains the ids %j', (raw, ids) => {
    expect(parseRecipients(raw, 'to')).toEqual({ kind: 'ids', ids });
  });

  test.each([
    '{"a":1}',
    'true',
    'null',
    '1.5',
    '5.0',
    '[5.0]',
    '[7,5e0]',
    '[9007199254740993]',
    '[1,"a"]',
    '[["a"]]',
    '[null]',
  ])('%j is refused', (raw) => {
    let refusal: unknown;
    try {
      parseRecipients(raw, 'to');
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ApiError);
    expect((refusal as ApiError).toBody()).toMatchObject({
      code: 'REQUEST_VARIABLE_INVALID',
      var_name: 'to',
      bad_value: raw,
    });
  });
});
