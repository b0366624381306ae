import { requestVariableInvalid } from '../errors.ts';
import { limits } from '../limits.ts';

import type { TArray, TBoolean, TInteger, TSchema, TString } from 'typebox';

import type { JsonSchema } from './json-schema.ts';
import { boolean, integer, integers, text, texts } from './schema.ts';
import type { Static } from './schema.ts';
import { findJsonBody, parseJson, parseJsonBody, parseJsonParameter } from './json-text.ts';
import type { NulHandling } from './json-text.ts';
import { makeCheck } from './validate.ts';

/**
 * The kinds of parameters (reference facts, people 2.3 to 2.5). Each builder makes a description of how the raw text becomes a value, of
 * the permitted values, and of the parameter in the OpenAPI document. A handler gets a `Value`; a client gives what the `Schema` admits.
 */
export type Parameter<
  Name extends string = string,
  Value = unknown,
  Schema extends TSchema = JsonSchema,
  Required extends boolean = boolean,
> = {
  /** The external, primary name; also the key in `request.parameters`. */
  readonly name: Name;
  /** Other names of the same parameter; giving two of them is an error. */
  readonly aliases: readonly string[];
  /** `form` is query or form body; `body` is the whole body as JSON. */
  readonly from: 'path' | 'form' | 'body';
  readonly encoding: 'text' | 'json';
  readonly required: Required;
  /** True if a JSON `null` means that an optional value is absent. */
  readonly nullMeansAbsent: boolean;
  /** True if the endpoint has its own answer for a U+0000 in the text. */
  readonly nulHandled: boolean;
  /** Of a text that this bounds; the limits of other values are in their schemas. */
  readonly maxCodePoints: number | undefined;
  readonly description: string;
  readonly schema: Schema;
  /** The value if the parameter is absent and not required. */
  readonly defaultValue: unknown;
  /** For path parameters: whether the path belongs to this endpoint; otherwise the answer is 404. */
  readonly matches: (raw: string) => boolean;
  /** Decodes the raw text; throws `ApiError`. */
  readonly decode: (raw: string) => Value;
};

export type ParameterOptions = {
  readonly description: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly aliases?: readonly string[];
};

/** The handler's value; with `default: null` also null; without default and not required also undefined. */
export type Presence<Options, Value> = Options extends { readonly required: true }
  ? Value
  : Options extends { readonly default: infer Default }
    ? null extends Default
      ? Value | null
      : Value
    : Value | undefined;

/** Whether it is required. */
export type IsRequired<Options> = Options extends { readonly required: true } ? true : false;

type Parts<Value> = {
  readonly encoding: 'text' | 'json';
  readonly from?: 'path' | 'form' | 'body';
  readonly nullMeansAbsent?: boolean;
  readonly nulHandled?: boolean;
  readonly maxCodePoints?: number | undefined;
  readonly schema: TSchema;
  readonly matches?: (raw: string) => boolean;
  readonly decode: (raw: string) => Value;
};

function build<Name extends string, Value>(
  name: Name,
  options: ParameterOptions,
  parts: Parts<Value>,
): Parameter<Name, never, never, never> {
  if (options.required === true && 'default' in options) {
    throw new TypeError(`parameter ${name} is required and has a default`);
  }
  const parameter: Parameter<Name, Value> = {
    name,
    aliases: options.aliases ?? [],
    from: parts.from ?? 'form',
    encoding: parts.encoding,
    required: options.required ?? false,
    nullMeansAbsent: parts.nullMeansAbsent ?? parts.encoding === 'json',
    nulHandled: parts.nulHandled ?? false,
    maxCodePoints: parts.maxCodePoints,
    description: options.description,
    schema: parts.schema,
    defaultValue: options.default,
    matches: parts.matches ?? (() => true),
    decode: parts.decode,
  };
  // The exact type follows from the options; each builder's signature states it.
  return parameter as Parameter<Name, never, never, never>;
}

export type TextOptions = ParameterOptions & {
  readonly default?: string | null;
  /** `handled`: the endpoint answers a U+0000 itself. Otherwise such a text is refused with 400. */
  readonly nul?: 'refused' | 'handled';
};

/** A raw text, used unchanged; an empty text is a value. One of more code points than `maxCodePoints` is refused after all other faults. */
export function textParameter<
  const Name extends string,
  const Options extends TextOptions & { readonly maxCodePoints?: number },
>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, string>, TString, IsRequired<Options>> {
  return build(name, options, {
    encoding: 'text',
    nulHandled: options.nul === 'handled',
    maxCodePoints: options.maxCodePoints,
    schema: text,
    decode: (raw) => raw,
  });
}

export type JsonOptions = ParameterOptions & { readonly nul?: NulHandling };

/** A JSON-encoded parameter of any shape; the value's type follows from the schema. */
export function jsonParameter<
  const Name extends string,
  Schema extends TSchema,
  const Options extends JsonOptions,
>(
  name: Name,
  schema: Schema,
  options: Options,
): Parameter<Name, Presence<Options, Static<Schema>>, Schema, IsRequired<Options>> {
  const check = makeCheck(schema);
  return build(name, options, {
    encoding: 'json',
    schema,
    decode: (raw) => check(parseJsonParameter(raw, name, options.nul), name),
  });
}

export type BooleanOptions = ParameterOptions & { readonly default?: boolean | null };

/** JSON `true` or `false`. */
export function booleanParameter<const Name extends string, const Options extends BooleanOptions>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, boolean>, TBoolean, IsRequired<Options>> {
  return jsonParameter(name, boolean, options);
}

export type NumberOptions = ParameterOptions & { readonly default?: number | null };

/** A JSON integer, such as `stream_id`. */
export function integerParameter<const Name extends string, const Options extends NumberOptions>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, number>, TInteger, IsRequired<Options>> {
  return jsonParameter(name, integer, options);
}

export type ListOptions = JsonOptions & { readonly default?: readonly unknown[] | null };

/** A JSON list of strings. */
export function textListParameter<const Name extends string, const Options extends ListOptions>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, string[]>, TArray<TString>, IsRequired<Options>> {
  return jsonParameter(name, texts, options);
}

/** A JSON list of integers. */
export function integerListParameter<const Name extends string, const Options extends ListOptions>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, number[]>, TArray<TInteger>, IsRequired<Options>> {
  return jsonParameter(name, integers, options);
}

export type JsonOrTextOptions = TextOptions & {
  readonly schema?: JsonSchema & { readonly type: 'string' };
};

/**
 * A string that older clients send JSON-encoded and newer ones raw: if the text is a JSON string, its value; otherwise the raw text
 * (reference facts, people 2.5). A schema for the resulting string may be added.
 */
export function jsonOrTextParameter<
  const Name extends string,
  const Options extends JsonOrTextOptions,
>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, string>, TString, IsRequired<Options>> {
  const schema = options.schema ?? { type: 'string' };
  const check = makeCheck(schema);
  return build(name, options, {
    encoding: 'json',
    nulHandled: options.nul === 'handled',
    schema,
    decode: (raw) => check({ '': stringWithin(raw, name, options.nul === 'handled') }, name),
  });
}

function stringWithin(raw: string, name: string, nulHandled: boolean): string {
  if (!raw.trimStart().startsWith('"')) return raw;
  const parsed = parseJson(raw);
  if ('fault' in parsed) {
    if (parsed.fault !== 'NUL') return raw;
    if (!nulHandled) throw requestVariableInvalid(name, raw);
    return String(JSON.parse(raw));
  }
  const value = parsed.holder[''];
  return typeof value === 'string' ? value : raw;
}

export type ConvertedNumberOptions = NumberOptions & {
  readonly allowNegative?: boolean;
  /** Larger numbers are read as the largest, for parameters that are cut at a limit anyway. */
  readonly isCapped?: boolean;
};

const converted = /^\s*([+-]?)(\d+)\s*$/;

/**
 * A number in plain digits, such as `num_before` (reference facts, people 2.3): optional spaces and `+`, 0 to 4294967295, or with
 * `isCapped` of any size. With `allowNegative` (`anchor`, `last_event_id`) it may have any sign and size. An integer that a double cannot
 * represent exactly becomes the largest safe integer, except that 10^16, a sentinel of clients, stays above every id either way.
 */
export function numberParameter<
  const Name extends string,
  const Options extends ConvertedNumberOptions,
>(
  name: Name,
  options: Options,
): Parameter<Name, Presence<Options, number>, TInteger, IsRequired<Options>> {
  const { allowNegative = false, isCapped = false } = options;
  return build(name, options, {
    encoding: 'text',
    nullMeansAbsent: true,
    schema: allowNegative
      ? { type: 'integer' }
      : {
          type: 'integer',
          minimum: 0,
          ...(!isCapped && { maximum: limits.convertedNumberMax }),
        },
    decode: (raw) => {
      const match = converted.exec(raw);
      if (match === null || (match[1] === '-' && !allowNegative))
        throw requestVariableInvalid(name, raw);
      const size = Number(match[2]);
      if (allowNegative) {
        const held = Math.min(size, largestConverted);
        return match[1] === '-' && held > 0 ? -held : held;
      }
      if (size > limits.convertedNumberMax && !isCapped) throw requestVariableInvalid(name, raw);
      return Math.min(size, limits.convertedNumberMax);
    },
  });
}

// 10^16 is the reference's "newest" anchor and exactly a double; it is the largest number passed on, and fits 64 bits.
const largestConverted = 10_000_000_000_000_000;

export type CustomOptions = ParameterOptions & {
  readonly encoding: 'text' | 'json';
  /** For the OpenAPI document and the types of clients; `convert` decides. */
  readonly schema: TSchema;
  readonly nul?: 'refused' | 'handled';
};

/**
 * A parameter with its own converter, such as `to` or `narrow`. `convert` gets the raw text and may throw `requestVariableInvalid` or any
 * other `ApiError`. With encoding `json` the text `null` means absent.
 */
export function customParameter<
  const Name extends string,
  Value,
  const Options extends CustomOptions,
>(
  name: Name,
  options: Options,
  convert: (raw: string, name: string) => Value,
): Parameter<Name, Presence<Options, Value>, Options['schema'], IsRequired<Options>> {
  return build(name, options, {
    encoding: options.encoding,
    nulHandled: options.nul === 'handled',
    schema: options.schema,
    decode: (raw) => convert(raw, name),
  });
}

export type PathOptions = { readonly description: string };

/** An id in the path. If the text is not all digits, the path is unknown: 404 (reference facts, messages 2). */
export function pathInteger<const Name extends string>(
  name: Name,
  options: PathOptions,
): Parameter<Name, number, TInteger, true> {
  return build(
    name,
    { ...options, required: true },
    {
      encoding: 'text',
      from: 'path',
      schema: { type: 'integer', minimum: 0 },
      matches: (raw) => /^\d+$/.test(raw),
      // A number beyond those that a double represents is not an id; it is cut there, and the endpoint does not find it.
      decode: (raw) => Math.min(Number(raw), Number.MAX_SAFE_INTEGER),
    },
  );
}

/**
 * A percent-decoded text in the path, such as an email address. A text with a U+0000 makes the path unknown, unless the endpoint has its
 * own answer.
 */
export function pathText<const Name extends string>(
  name: Name,
  options: PathOptions & { readonly pattern?: RegExp; readonly nul?: 'refused' | 'handled' },
): Parameter<Name, string, TString, true> {
  const { pattern, nul = 'refused' } = options;
  return build(
    name,
    { description: options.description, required: true },
    {
      encoding: 'text',
      from: 'path',
      schema: text,
      matches: (raw) =>
        (nul === 'handled' || !raw.includes('\0')) && (pattern === undefined || pattern.test(raw)),
      decode: (raw) => raw,
    },
  );
}

/** The name of a JSON body among the parameters, for handlers and clients. */
export const jsonBodyName = 'body';

export type JsonBodyOptions<Schema extends TSchema> = PathOptions & {
  /** For the OpenAPI document and the types of clients: the integration checks the members that it reads. */
  readonly schema: Schema;
  /** `handled`: the value of an invalid body is undefined, and the endpoint answers it. Otherwise it is refused. */
  readonly malformed?: 'refused' | 'handled';
  /** Reads the text in another way; throws `ApiError`. */
  readonly read?: (text: string) => unknown;
};

/**
 * The whole body as JSON whatever its Content-Type, for webhooks (reference facts, people 16.1). A trailing comma inside an object is
 * accepted. The value is not validated, because the integration reads the members that it needs.
 */
export function jsonBody<Schema extends TSchema>(
  options: JsonBodyOptions<Schema>,
): Parameter<typeof jsonBodyName, unknown, Schema, true> {
  const { schema, malformed = 'refused' } = options;
  const { read = malformed === 'handled' ? findJsonBody : parseJsonBody } = options;
  return build(
    jsonBodyName,
    { description: options.description, required: true },
    {
      encoding: 'json',
      from: 'body',
      schema,
      decode: read,
    },
  );
}
