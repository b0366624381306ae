import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hostileText } from './hostile-text.ts';
import { refusalOf } from './refusal-of.ts';
import { decodeParameters } from './decode-parameters.ts';
import { declareEndpoint } from './endpoint.ts';
import {
  numberParameter,
  customParameter,
  jsonParameter,
  booleanParameter,
  jsonOrTextParameter,
  textListParameter,
  pathInteger,
  textParameter,
} from './parameters.ts';
import type { Parameter } from './parameters.ts';
import { described, integers, nullable, object } from './schema.ts';

const description = 'a parameter';

function decode(
  parameter: Parameter,
  form: Record<string, string>,
  query: Record<string, string> = {},
): unknown {
  const raw = {
    form: new Map(Object.entries(form)),
    query: new Map(Object.entries(query)),
    path: {},
    body: Buffer.alloc(0),
  };
  return decodeParameters(raw, [parameter])[parameter.name];
}

function refusal(parameter: Parameter, form: Record<string, string>): Record<string, unknown> {
  return refusalOf(() => decode(parameter, form))?.toBody() ?? {};
}

describe('text', () => {
  const topic = textParameter('topic', { description, aliases: ['subject'] });

  it('accepts any text, also empty, and prefers the body to the query', () => {
    expect(decode(topic, { topic: '' })).toBe('');
    expect(decode(topic, { topic: 'body' }, { topic: 'query' })).toBe('body');
    expect(decode(topic, {}, { topic: 'query' })).toBe('query');
    expect(decode(topic, {})).toBeUndefined();
  });

  it('accepts either name but not both, and is reported missing under the primary one', () => {
    expect(decode(topic, { subject: 's' })).toBe('s');
    expect(refusal(topic, { subject: 's', topic: 't' })).toEqual({
      result: 'error',
      msg: "Can't decide between 'topic' and 'subject' arguments",
      var_name1: 'topic',
      var_name2: 'subject',
      code: 'REQUEST_CONFUSING_VAR',
    });
    expect(
      refusal(textParameter('topic', { description, aliases: ['subject'], required: true }), {}),
    ).toEqual({
      result: 'error',
      msg: "Missing 'topic' argument",
      var_name: 'topic',
      code: 'REQUEST_VARIABLE_MISSING',
    });
  });

  it('refuses U+0000 unless the endpoint handles it', () => {
    expect(refusal(topic, { topic: 'a\0' })['code']).toBe('REQUEST_VARIABLE_INVALID');
    expect(
      decode(textParameter('content', { description, nul: 'handled' }), { content: 'a\0' }),
    ).toBe('a\0');
  });
});

describe('convertedNumber', () => {
  const count = numberParameter('num_before', { description, required: true });
  const anchor = numberParameter('anchor', { description, allowNegative: true });

  it.each([
    ['0', 0],
    [' 12 ', 12],
    ['+7', 7],
    ['007', 7],
    ['4294967295', 4_294_967_295],
  ])('reads %j', (raw, expected) => {
    expect(decode(count, { num_before: raw })).toBe(expected);
  });

  it.each(['abc', '', '-1', '1.0', '1e3', '4294967296', '0x10', '１', '1 2'])(
    'refuses %j with its text',
    (raw) => {
      expect(refusal(count, { num_before: raw })).toEqual({
        result: 'error',
        msg: `Bad value for 'num_before': ${raw}`,
        var_name: 'num_before',
        bad_value: raw,
        code: 'REQUEST_VARIABLE_INVALID',
      });
    },
  );

  it.each(['4294967296', '9'.repeat(400)])('reads %j as the maximum if it is capped', (raw) => {
    const lifespan = numberParameter('queue_lifespan_secs', { description, isCapped: true });
    expect(decode(lifespan, { queue_lifespan_secs: raw })).toBe(4_294_967_295);
    expect(refusal(lifespan, { queue_lifespan_secs: `-${raw}` })['code']).toBe(
      'REQUEST_VARIABLE_INVALID',
    );
  });

  it('reads negative and very large positions if they are allowed', () => {
    expect(decode(anchor, { anchor: '-1' })).toBe(-1);
    expect(Object.is(decode(anchor, { anchor: '-0' }), 0)).toBe(true);
    expect(decode(anchor, { anchor: '10000000000000000' })).toBe(10_000_000_000_000_000);
    expect(decode(anchor, { anchor: '9'.repeat(400) })).toBe(10_000_000_000_000_000);
  });
});

describe('JSON parameters', () => {
  it('accept null for an absent optional value', () => {
    expect(
      decode(textListParameter('event_types', { description }), { event_types: 'null' }),
    ).toBeUndefined();
    expect(decode(booleanParameter('b', { description, default: true }), { b: 'null' })).toBe(true);
    expect(
      refusal(booleanParameter('b', { description, required: true }), { b: 'null' })['msg'],
    ).toBe('b is not a boolean');
    expect(decode(numberParameter('anchor', { description }), { anchor: 'null' })).toBeUndefined();
    expect(decode(textParameter('topic', { description }), { topic: 'null' })).toBe('null');
  });

  it('bound texts by code points', () => {
    const topic = textParameter('topic', { description, aliases: ['subject'], maxCodePoints: 3 });
    expect(decode(topic, { subject: '😀😀😀' })).toBe('😀😀😀');
    for (const subject of ['😀😀😀x', 'abcdefg'])
      expect(refusal(topic, { subject })['msg']).toBe('topic is too long (limit: 3 characters)');
  });

  it('read a JSON string or the raw text', () => {
    const name = jsonOrTextParameter('full_name', {
      description,
      schema: { type: 'string', maxLength: 5 },
    });
    expect(decode(name, { full_name: '"Iago"' })).toBe('Iago');
    expect(decode(name, { full_name: 'Iago' })).toBe('Iago');
    expect(decode(name, { full_name: '"Iag' })).toBe('"Iag');
    expect(decode(name, { full_name: '12' })).toBe('12');
    expect(refusal(name, { full_name: 'Iago of Venice' })['msg']).toBe(
      'full_name is too long (limit: 5 characters)',
    );
    expect(refusal(name, { full_name: String.raw`"\u0000"` })['code']).toBe(
      'REQUEST_VARIABLE_INVALID',
    );
  });

  it('never throw anything but ApiError', () => {
    const parameters = [
      jsonParameter('v', integers, { description }),
      jsonOrTextParameter('v', { description }),
      jsonOrTextParameter('v', { description, nul: 'handled' }),
      numberParameter('v', { description, allowNegative: true }),
      textParameter('v', { description }),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...parameters), hostileText, (parameter, raw) => {
        expect(refusal(parameter, { v: raw })).toBeTypeOf('object');
      }),
    );
  });
});

describe('declarations', () => {
  const declare = (path: string, parameters: readonly Parameter[]) =>
    declareEndpoint({
      name: 'x',
      method: 'GET',
      path,
      service: 'messages',
      tag: 'Server',
      summary: 's',
      access: { authentication: 'none' },
      parameters,
      success: object({}),
    });

  it('fail at startup if they contradict themselves', () => {
    expect(() => declare('/a/{id}', [])).toThrow(/path parameters differ/);
    expect(() => declare('/a', [pathInteger('id', { description })])).toThrow(
      /path parameters differ/,
    );
    const twice = [
      textParameter('a', { description }),
      textParameter('b', { description, aliases: ['a'] }),
    ];
    expect(() => declare('/a', twice)).toThrow(/occurs twice/);
    expect(() => declare('/a', [textParameter('body', { description })])).toThrow(
      /only a JSON body is called body/,
    );
    expect(() => textParameter('a', { description, required: true, default: 'x' })).toThrow(
      /has a default/,
    );
    const named = object({}, { name: 'Boat' });
    for (const declare of [() => described(named, 'Of oak'), () => nullable(named)])
      expect(declare).toThrow(/another schema named Boat/);
  });

  it('pass custom converters the raw text', () => {
    const to = customParameter(
      'to',
      { description, encoding: 'text', schema: {}, required: true },
      (raw, name) => `${name}=${raw}`,
    );
    expect(decode(to, { to: 'a,b' })).toBe('to=a,b');
  });
});
