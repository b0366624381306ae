import type { Queryable } from '@parley/database';
import {
  SharedPresence,
  listedForMs,
  presenceJson,
  statesByUser,
  takeStates,
} from '@parley/presence-state';
import type { ClientStates } from '@parley/presence-state';
import { listPresence, listPresencePeople } from '@parley/store';

import { JsonText } from './json-text.ts';
import type { KeptReads } from './kept-state.ts';

type PresenceReads = {
  readonly shared: SharedPresence;
  readonly kept: KeptReads;
  readonly nowMs: number;
};

/**
 * Presence for the answer of register (reference facts, events 4.2). The table has, in the snapshot, all that events before it
 * told; Redis has what came since, which may be told again. While Redis is away, the last second is missing and comes as events.
 */
export async function presenceState(
  database: Queryable,
  { shared, kept, nowMs }: PresenceReads,
): Promise<{ readonly presences: JsonText }> {
  const states = statesByUser(await listPresence(database));
  takeStates(states, await newestStates(shared));
  const people = await kept.read('people of presence', ['users'], () =>
    listPresencePeople(database),
  );
  const presences = people.flatMap(({ id, email, isShown }) => {
    const known = states.get(id);
    if (!isShown || known === undefined) return [];
    const presence = presenceJson(known, nowMs - listedForMs);
    return presence === undefined ? [] : [[email, presence] as const];
  });
  return { presences: JsonText.of(Object.fromEntries(presences)) };
}

async function newestStates(shared: SharedPresence): Promise<ReadonlyMap<number, ClientStates>> {
  try {
    return (await shared.refresh()) ? shared.states : new Map();
  } catch {
    return new Map();
  }
}
