import type { FetchedState } from '@parley/api/events';
import type { Clock } from '@parley/clock';
import type { Queryable } from '@parley/database';
import { faultLogger } from '@parley/server';
import type { Logger } from '@parley/telemetry/logging';
import { listedForMs, presenceJson, statesByUser, takeStates } from '@parley/store/presence-state';
import type { ClientStates, SharedPresence } from '@parley/store/presence-state';
import { listPresence, listPresencePeople } from '@parley/store';

import { JsonText } from './json-text.ts';
import type { PartlyText } from './json-text.ts';
import type { KeptReads } from './kept-state.ts';

/** Reads everybody's presence from Redis; empty if Redis is unreachable. */
export type NewestPresence = () => Promise<ReadonlyMap<number, ClientStates>>;

type PresenceReads = {
  readonly newest: NewestPresence;
  readonly kept: KeptReads;
  readonly nowMs: number;
};

/**
 * Presence for the answer of register (reference facts, events 4.2). In the snapshot, the table contains everything that earlier events
 * announced. Redis has newer reports, which events may announce again. While Redis is down, reports of the last second are missing and
 * arrive as events.
 */
export async function presenceState(
  database: Queryable,
  { newest, kept, nowMs }: PresenceReads,
): Promise<PartlyText<FetchedState<'presence'>>> {
  const [stored, reported, people] = await Promise.all([
    listPresence(database),
    newest(),
    kept.read('people of presence', ['users'], () => listPresencePeople(database)),
  ]);
  const states = statesByUser(stored);
  takeStates(states, reported);
  const presences = people.flatMap(({ id, email, isShown }) => {
    const known = states.get(id);
    if (!isShown || known === undefined) return [];
    const presence = presenceJson(known, nowMs - listedForMs);
    return presence === undefined ? [] : [[email, presence] as const];
  });
  return { presences: JsonText.of(Object.fromEntries(presences)) };
}

/** Makes the reader of what Redis has. */
export function newestPresence(
  shared: Pick<SharedPresence, 'refresh' | 'states'>,
  log: Logger,
  clock: Clock,
): NewestPresence {
  const logFault = faultLogger(
    log,
    'registers get no presence from Redis, though it is there',
    clock,
  );
  return async () => {
    try {
      return (await shared.refresh()) ? shared.states : new Map();
    } catch (error) {
      logFault(error);
      return new Map();
    }
  };
}
