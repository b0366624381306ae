/** Short forms for the schemas of payloads, which name only what is read: everything else in a payload is let be. */
import type { JsonSchema } from '@parley/http';

type Properties = Readonly<Record<string, JsonSchema>>;

export const text = { type: 'string' } as const;
export const textOrNull = { type: ['string', 'null'] } as const;
export const integer = { type: 'integer' } as const;
export const flag = { type: 'boolean' } as const;

type RecordSchema<Required, All> = {
  readonly type: 'object';
  readonly properties: All;
  readonly required: readonly (keyof Required & string)[];
};

/** An object with these members, and with those of the second list if they are there. */
export function record<const Required extends Properties>(
  required: Required,
): RecordSchema<Required, Required>;
export function record<const Required extends Properties, const Optional extends Properties>(
  required: Required,
  optional: Optional,
): RecordSchema<Required, Required & Optional>;
export function record(
  required: Properties,
  optional: Properties = {},
): RecordSchema<Properties, Properties> {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
  };
}

/** The same, or null. */
export function orNull<const Schema extends JsonSchema & { readonly type: 'object' }>(
  schema: Schema,
): Omit<Schema, 'type'> & { readonly type: readonly ['object', 'null'] } {
  return { ...schema, type: ['object', 'null'] };
}

export function listOf<const Item extends JsonSchema>(
  items: Item,
): { readonly type: 'array'; readonly items: Item } {
  return { type: 'array', items };
}
