import type { TUnsafe } from 'typebox';

import { parseJsonParameter } from '../declare/json-text.ts';
import { customParameter } from '../declare/parameters.ts';
import type { IsRequired, Parameter, ParameterOptions, Presence } from '../declare/parameters.ts';
import { anything, mapOf, text } from '../declare/schema.ts';
import { makeCheck } from '../declare/validate.ts';
import { badRequest } from '../errors.ts';

type Texts = Record<string, string>;

const checkObject = makeCheck(mapOf(anything));

function areTexts(value: unknown): value is Texts {
  return Object.values(value ?? {}).every((member) => typeof member === 'string');
}

/** A JSON object whose values are all texts; its refusals name no value (reference facts, people 2.4). */
export function textsParameter<const Name extends string, const Options extends ParameterOptions>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, Texts>, TUnsafe<Texts>, IsRequired<Options>> {
  return customParameter(name, { ...options, encoding: 'json', schema: mapOf(text) }, (raw) => {
    const value = checkObject(parseJsonParameter(raw, name), name);
    if (!areTexts(value)) throw badRequest(`${name} contains a value that is not a string`);
    return value;
  });
}
