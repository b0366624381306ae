import type { JsonSchema } from '@parley/http';

import { integer, objectOf } from '../building-blocks.ts';
import type { Members } from '../building-blocks.ts';

/** The members of one kind of event beside `id`, `type` and `op`. */
export type EventMembers = {
  readonly required: Members;
  readonly optional?: Members;
};

const eventId: JsonSchema = { type: 'integer', description: 'Its position in the log' };

/** @returns the schema of an event without `op` */
export function eventSchema(
  name: string,
  type: string,
  { required, optional }: EventMembers = { required: {} },
): JsonSchema {
  return objectOf({ id: eventId, type: { const: type }, ...required }, optional, { name });
}

/** @returns the schema of an event whose members depend on its `op` */
export function eventSchemaByOp(
  name: string,
  type: string,
  byOp: Readonly<Record<string, EventMembers>>,
): JsonSchema {
  return {
    name,
    type: 'object',
    // Says which type it is to whoever looks for the branch of the union of all events.
    properties: { type: { const: type } },
    required: ['type', 'op'],
    discriminator: { propertyName: 'op' },
    oneOf: Object.entries(byOp).map(([op, { required, optional }]) =>
      objectOf({ id: integer, type: { const: type }, op: { const: op }, ...required }, optional),
    ),
  };
}

/** Events of several `op` that have the same members. */
export function sameForOps(
  ops: readonly string[],
  members: EventMembers,
): Readonly<Record<string, EventMembers>> {
  return Object.fromEntries(ops.map((op) => [op, members]));
}
