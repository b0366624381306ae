import type { JsonSchema } from '../declare/json-schema.ts';

function closedMembers(
  members: Readonly<Record<string, JsonSchema>>,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, closedSchema(member)]),
  );
}

/**
 * Closes a schema: objects with listed members admit no others unless they say so.
 *
 * @returns a closed copy; named schemas keep their names
 */
export function closedSchema(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties, items, prefixItems, anyOf, oneOf } = schema;
  return {
    ...schema,
    ...(properties !== undefined && {
      type: schema.type ?? 'object',
      properties: closedMembers(properties),
      // The branches of a union list all members themselves.
      ...(oneOf === undefined && { additionalProperties: additionalProperties ?? false }),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: closedSchema(additionalProperties),
    }),
    ...(items !== undefined && { items: closedSchema(items) }),
    ...(prefixItems !== undefined && { prefixItems: prefixItems.map(closedSchema) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(closedSchema) }),
    ...(oneOf !== undefined && { oneOf: oneOf.map(closedSchema) }),
  };
}
