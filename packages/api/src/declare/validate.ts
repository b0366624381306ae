import { badRequest } from '../errors.ts';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';

import type { JsonSchema } from './json-schema.ts';
import { wasFloatLiteral } from './json-text.ts';
import type { JsonValue } from './json-text.ts';
import { refusalText } from './refusal-text.ts';

/**
 * Validates decoded JSON parameters. A schema is compiled when its first value comes: each service declares hundreds, of which it meets
 * few, and compiling all of them took a third of its start. Only the first fault is reported (reference facts, people 2.1): ajv visits list
 * lengths before items, items in order, required members before the members' own types.
 */

const ajv = new Ajv({
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  verbose: true,
  unicodeRegExp: true,
});
ajv.addFormat('date', { type: 'string', validate: isDate });
ajv.addFormat('url', { type: 'string', validate: isWebAddress });
ajv.addFormat('hex-color', { type: 'string', validate: /^#[0-9a-fA-F]{3,6}$/ });
ajv.addVocabulary(['name']);
ajv.addKeyword({ keyword: 'refusal', schemaType: 'string' });
ajv.addKeyword({
  keyword: 'notBlank',
  type: 'string',
  schemaType: 'boolean',
  validate: (required: boolean, data: string) => !required || data.trim() !== '',
});
ajv.addKeyword({
  keyword: 'integerLiteral',
  type: 'number',
  schemaType: 'boolean',
  validate: (
    _required: boolean,
    _data: number,
    _schema: unknown,
    context?: { parentData: object; parentDataProperty: string | number },
  ) =>
    context === undefined ||
    !wasFloatLiteral(context.parentData, String(context.parentDataProperty)),
});

/** Month and day may lack their leading zero; there is no year 0. */
function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  const padded = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${padded}T00:00:00Z`);
  return !Number.isNaN(time) && Number(year) > 0 && new Date(time).toISOString().startsWith(padded);
}

/** The dots of a name, including those that the URL parser takes for one. */
const dots = /[.\u3002\uff0e\uff61]/;

function isWebAddress(text: string): boolean {
  const [, authority] = /^(?:https?|ftp):\/\/([^\s/?#\\]+)/i.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(text)) return false;
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  // The URL parser takes 127.0.0. for 127.0.0.0.
  return !host.replaceAll(/%2e/gi, '.').split(dots).includes('');
}

/** A copy in which every integer must also have been written as an integer (`5.0` fails the check). */
function withIntegerLiterals(schema: JsonSchema): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...schema };
  const types = new Set([schema.type ?? []].flat());
  if (types.has('integer') && !types.has('number')) copy['integerLiteral'] = true;
  if (schema.items !== undefined) copy['items'] = withIntegerLiterals(schema.items);
  if (schema.anyOf !== undefined) copy['anyOf'] = schema.anyOf.map(withIntegerLiterals);
  if (schema.properties !== undefined) {
    copy['properties'] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [
        name,
        withIntegerLiterals(member),
      ]),
    );
  }
  if (typeof schema.additionalProperties === 'object') {
    copy['additionalProperties'] = withIntegerLiterals(schema.additionalProperties);
  }
  return copy;
}

/** Whether a value of this schema may contain an integer. */
function holdsIntegers({ type, items, properties }: JsonSchema): boolean {
  return (
    type === 'integer' ||
    (items !== undefined && holdsIntegers(items)) ||
    Object.values(properties ?? {}).some(holdsIntegers)
  );
}

/** `true` passes an integer check and counts as 1, `false` as 0 (reference facts, people 2.3). The value is changed in place. */
function countBooleans(value: unknown, { type, items, properties }: JsonSchema): unknown {
  if (typeof value === 'boolean') return type === 'integer' ? Number(value) : value;
  if (Array.isArray(value)) {
    if (items === undefined || !holdsIntegers(items)) return value;
    for (const [index, item] of value.entries()) value[index] = countBooleans(item, items);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const [name, schema] of Object.entries(properties ?? {})) {
      if (Object.hasOwn(members, name)) members[name] = countBooleans(members[name], schema);
    }
  }
  return value;
}

/**
 * Makes a check of parsed values. A schema that is not one throws at the first check.
 *
 * @returns a function that returns the value or throws an `ApiError` with the exact text of the reference facts, people 2.4, in which the
 *   parameter's name means the value
 */
export function makeCheck(schema: JsonSchema): (holder: JsonValue, name: string) => unknown {
  let validate: ValidateFunction | undefined;
  const countsBooleans = holdsIntegers(schema);
  return (holder, name) => {
    const value = countsBooleans ? countBooleans(holder[''], schema) : holder[''];
    const context = {
      instancePath: '',
      parentData: holder,
      parentDataProperty: '',
      rootData: holder,
      dynamicAnchors: {},
    };
    validate ??= ajv.compile(withIntegerLiterals(schema));
    if (validate(value, context)) return value;
    throw badRequest(refusalText(validate.errors ?? [], name, value));
  };
}
