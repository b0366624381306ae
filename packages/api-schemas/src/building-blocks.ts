import type { JsonSchema } from '@parley/http';

export const text: JsonSchema = { type: 'string' };
export const integer: JsonSchema = { type: 'integer' };
export const boolean: JsonSchema = { type: 'boolean' };
export const textOrNull: JsonSchema = { type: ['string', 'null'] };
export const integerOrNull: JsonSchema = { type: ['integer', 'null'] };
export const booleanOrNull: JsonSchema = { type: ['boolean', 'null'] };
export const texts: JsonSchema = { type: 'array', items: text };
export const integers: JsonSchema = { type: 'array', items: integer };
/** Seconds since 1970. */
export const timestamp: JsonSchema = { type: 'integer', description: 'Seconds since 1970' };
export const avatarUrl: JsonSchema = {
  type: ['string', 'null'],
  description: 'null where the client makes the Gravatar URL itself',
};

export type Members = Readonly<Record<string, JsonSchema>>;

/** The same schema for several members. */
export function each(names: readonly string[], schema: JsonSchema): Members {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** A list of fixed length. */
export function tuple(...prefixItems: readonly JsonSchema[]): JsonSchema {
  const length = prefixItems.length;
  return { type: 'array', prefixItems, minItems: length, maxItems: length };
}

export function mapOf(additionalProperties: JsonSchema, description?: string): JsonSchema {
  return {
    type: 'object',
    additionalProperties,
    ...(description !== undefined && { description }),
  };
}

/**
 * An object with exactly these members.
 *
 * @param required those it always has
 * @param optional those it may have
 * @param about its name in the OpenAPI document, and what it is
 */
export function objectOf(
  required: Members,
  optional: Members = {},
  about: { readonly name?: string; readonly description?: string } = {},
): JsonSchema {
  return {
    ...about,
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}
