import type { ClientPresence, Presence } from '@parley/api/presence';

import type { ClientState, ClientStates } from './client-states.ts';

/** Presence as clients see it (contract, Presence; reference facts, events 4.2). */

/** A client that was last heard of so long ago is left out of lists. */
export const listedForMs = 14 * 86_400_000;

/** @returns a client's object; nothing is pushed to anybody's device here */
export function clientPresence(client: string, state: ClientState): ClientPresence {
  return {
    client,
    status: state.status,
    timestamp: Math.floor(state.reportedAtMs / 1_000),
    pushable: false,
  };
}

/**
 * @param sinceMs leaves out clients that were last heard of before it
 * @returns the object of a person, or undefined when nothing is known
 */
export function presenceJson(states: ClientStates, sinceMs = 0): Presence | undefined {
  const listed = [...states].filter(([, { reportedAtMs }]) => reportedAtMs >= sinceMs);
  if (listed.length === 0) return undefined;
  const [client, newest] = listed.reduce((left, right) =>
    right[1].reportedAtMs > left[1].reportedAtMs ? right : left,
  );
  const { pushable: _pushable, ...aggregated } = clientPresence(client, newest);
  // A client that calls itself `aggregated` has no entry of its own.
  const byClient = Object.fromEntries(
    listed.map(([name, state]) => [name, clientPresence(name, state)]),
  );
  return { ...byClient, aggregated };
}

/** @returns the seconds of a moment, with a fraction */
export function serverTimestamp(nowMs: number): number {
  return nowMs / 1_000;
}
