import { Type } from 'typebox';
import type { TObject, TProperties, TSchema, TUnsafe } from 'typebox';

import { constant, integer, object, union } from '../declare/schema.ts';
import type { Static } from '../declare/schema.ts';

/** The declaration of events: by type, by `op` if the type has any, and by property for updates of one. */

const eventId = Type.Integer({ description: 'Its position in the log' });

type EventOf<Kind extends string, Members extends TProperties> = {
  id: number;
  type: Kind;
} & Static<TObject<Members>>;

/** An event without `op`. */
export function event<const Kind extends string, Members extends TProperties>(
  name: string,
  type: Kind,
  members: Members,
): TUnsafe<EventOf<Kind, Members>> {
  const schema = object({ id: eventId, type: constant(type), ...members }, { name });
  return Type.Unsafe<EventOf<Kind, Members>>(schema);
}

type ByOp = Readonly<Record<string, TProperties>>;

type EventByOp<Kind extends string, Ops extends ByOp> = {
  [Op in keyof Ops]: EventOf<Kind, Ops[Op]> & { op: Op };
}[keyof Ops];

/**
 * An event whose members depend on its `op`.
 *
 * @param updates further branches, for an `op` whose members depend on another member
 */
export function eventByOp<
  const Kind extends string,
  const Ops extends ByOp,
  const Updates extends readonly TSchema[] = readonly [],
>(
  name: string,
  type: Kind,
  byOp: Ops,
  ...updates: Updates
): TUnsafe<EventByOp<Kind, Ops> | Static<Updates[number]>> {
  const branches = Object.entries(byOp).map(([op, members]) =>
    object({ id: integer, type: constant(type), op: constant(op), ...members }),
  );
  return Type.Unsafe<EventByOp<Kind, Ops> | Static<Updates[number]>>(
    union('op', [...branches, ...updates], {
      name,
      // Gives readers of the union of all events the type of the branch.
      properties: { type: constant(type) },
      required: ['type', 'op'],
    }),
  );
}

/** Several values of `op` with the same members. */
export function sameForOps<const Op extends string, Members extends TProperties>(
  ops: readonly Op[],
  members: Members,
): Record<Op, Members> {
  return Object.fromEntries(ops.map((op) => [op, members])) as Record<Op, Members>;
}

/** The updates of an event type, distinguished by their `property`. */
export function updatesByProperty<const Branches extends readonly TSchema[]>(
  name: string,
  type: string,
  op: string,
  branches: Branches,
): TUnsafe<Static<Branches[number]>> {
  return union('property', branches, {
    name,
    properties: { type: constant(type), op: constant(op) },
    required: ['type', 'op', 'property'],
  });
}
