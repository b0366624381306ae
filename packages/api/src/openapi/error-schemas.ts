import {
  boolean,
  described,
  float,
  integer,
  listOf,
  oneOfTexts,
  text,
  textOrNull,
  texts,
  tuple,
} from '../declare/schema.ts';
import type { Static } from '../declare/schema.ts';
import { errorCatalogue } from '../error-catalogue.ts';
import type { ErrorCode } from '../error-catalogue.ts';

import type { JsonSchema } from '../declare/json-schema.ts';

/** The types of the members of refusals in the OpenAPI document and for clients; the catalogue lists the members. */

/** The types of members that are not texts. */
const fieldSchemas = {
  stream_id: integer,
  is_last_admin: boolean,
  entity: oneOfTexts(['organization administrator', 'user']),
  event_type: textOrNull,
  errors: described(listOf(tuple(text, text)), 'address and reason'),
  sent_invitations: boolean,
  allowed_methods: texts,
  'retry-after': described(float, 'seconds'),
};

/** The members of a refusal beside `result`, `msg` and `code`. */
type FieldsNamed<Names extends readonly string[]> = Names extends unknown
  ? {
      [Field in Names[number]]: Field extends keyof typeof fieldSchemas
        ? Static<(typeof fieldSchemas)[Field]>
        : string;
    }
  : never;

/** The members of a code, for each of its forms. */
export type FieldsOfCode<Code extends ErrorCode> = FieldsNamed<
  (typeof errorCatalogue)[Code][number]['fields']
>;

/** The members, if any, of refusals without a code that any endpoint may make. */
export type SharedRefusalFields = FieldsNamed<
  readonly ['allowed_methods'] | readonly ['retry-after']
>;

function pascal(code: string): string {
  return code
    .toLowerCase()
    .replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** @param fields members beside `result` and `msg`, all of them required */
export function refusalSchema(
  fields: Readonly<Record<string, JsonSchema>>,
  description?: string,
): JsonSchema {
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: { result: { const: 'error' }, msg: text, ...fields },
    required: ['result', 'msg', ...Object.keys(fields)],
    additionalProperties: false,
  };
}

/** A refusal without a code and with only a text. */
export const plainError: JsonSchema = {
  ...refusalSchema({}, 'A refusal without a code; `msg` says why'),
  name: 'PlainError',
};

function fieldsOf(names: readonly string[]): Record<string, JsonSchema> {
  const known: Readonly<Record<string, JsonSchema>> = fieldSchemas;
  return Object.fromEntries(names.map((name) => [name, known[name] ?? text]));
}

/** @returns the schema of a code with a status: one object for each of its sets of members */
function codeSchema(code: ErrorCode, status: number): JsonSchema {
  const all = errorCatalogue[code];
  const forms = all.filter((form) => form.status === status);
  const name = `${pascal(code)}Error${all.every((form) => form.status === status) ? '' : status}`;
  const description = forms.map((form) => `${form.text}: ${form.when}`).join('; ');
  const byFields = Map.groupBy(forms, ({ fields }) => fields.join(' '));
  const shapes = [...byFields.values()].map((group) =>
    refusalSchema({ code: { const: code }, ...fieldsOf(group[0]?.fields ?? []) }),
  );
  const [only] = shapes;
  return only !== undefined && shapes.length === 1
    ? { ...only, name, description }
    : { name, description, anyOf: shapes };
}

const codeSchemas = new Map<string, JsonSchema>();

/** @returns the only schema of a code and status */
export function errorSchemaOf(code: ErrorCode, status: number): JsonSchema {
  const key = `${code} ${status}`;
  const schema = codeSchemas.get(key) ?? codeSchema(code, status);
  codeSchemas.set(key, schema);
  return schema;
}

/** The 405 of a path that exists. */
export const methodNotAllowedError: JsonSchema = {
  ...refusalSchema(fieldsOf(['allowed_methods'])),
  name: 'MethodNotAllowedError',
};

/** The 429 of a caller with too many requests. */
export const rateLimitError: JsonSchema = {
  ...refusalSchema(fieldsOf(['retry-after'])),
  name: 'RateLimitError',
};
