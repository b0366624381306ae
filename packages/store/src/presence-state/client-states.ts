import type { PresenceRow, PresenceStatus } from '../index.ts';
import { presenceClientsMax } from '../index.ts';

/**
 * What is known of one person's clients, and how a report changes it (reference facts, events 15.2). The script that does the
 * same in Redis is `presence.lua`; a property test compares the two.
 */

/** The last report of a client that was taken; its time in milliseconds names it: no two of a client share one. */
export type ClientState = { readonly status: PresenceStatus; readonly reportedAtMs: number };

/** By client name. */
export type ClientStates = ReadonlyMap<string, ClientState>;

export type Report = {
  readonly client: string;
  readonly status: PresenceStatus;
  readonly nowMs: number;
};

export type AppliedReport = {
  /** The client's own state, if the report was taken. */
  readonly taken: ClientState | undefined;
  /** It is announced to others at once. */
  readonly isNews: boolean;
};

/** After so long without a report a client may have gone idle, and being active is news. */
export const staleAfterMs = 70_000;

/** Lists of everybody's presence have each name twice. */
const nameMaxBytes = 30;

/** @returns the name under which a client's reports are kept */
export function reportingClient(clientName: string): string {
  if (clientName === 'ZulipDesktop') return 'website';
  const bytes = Buffer.from(clientName).subarray(0, nameMaxBytes);
  // Characters of which only the beginning fits are dropped.
  return new TextDecoder().decode(bytes, { stream: true });
}

/** Keeps the clients that reported last: their names come from outside, and a person has a bounded number. */
function bounded(states: Map<string, ClientState>): ClientStates {
  while (states.size > presenceClientsMax) {
    const [oldest] = [...states].reduce((left, right) =>
      right[1].reportedAtMs < left[1].reportedAtMs ? right : left,
    );
    states.delete(oldest);
  }
  return states;
}

/**
 * Applies a report.
 *
 * @returns what became of it, and the states after it
 */
export function applyReport(
  states: ClientStates,
  { client, status, nowMs }: Report,
): AppliedReport & { readonly states: ClientStates } {
  const before = states.get(client);
  // Clocks of replicas differ a little; a client's time only grows.
  const reportedAtMs = before === undefined ? nowMs : Math.max(nowMs, before.reportedAtMs + 1);
  const isStale = before === undefined || reportedAtMs - before.reportedAtMs > staleAfterMs;
  // An active client that calls itself idle so soon has another window that is active.
  if (!isStale && before.status === 'active' && status === 'idle')
    return { states, taken: undefined, isNews: false };
  const taken = { status, reportedAtMs };
  return {
    states: bounded(new Map(states).set(client, taken)),
    taken,
    isNews: before === undefined || (status === 'active' && (isStale || before.status === 'idle')),
  };
}

/** @returns what two sources know together: of each client the newer state */
export function mergeStates(left: ClientStates, right: ClientStates): ClientStates {
  const merged = new Map(left);
  for (const [client, state] of right) {
    const known = merged.get(client);
    if (known === undefined || known.reportedAtMs < state.reportedAtMs) merged.set(client, state);
  }
  return bounded(merged);
}

/** @returns whether a person's states tell others more than that the same clients were heard of again within the usual time */
export function isNews(before: ClientStates, after: ClientStates): boolean {
  if (before.size !== after.size) return true;
  for (const [client, { status, reportedAtMs }] of after) {
    const known = before.get(client);
    if (
      known === undefined ||
      known.status !== status ||
      reportedAtMs - known.reportedAtMs > staleAfterMs
    )
      return true;
  }
  return false;
}

/** @returns the rows as states by user id */
export function statesByUser(rows: readonly PresenceRow[]): Map<number, ClientStates> {
  const byUser = new Map<number, Map<string, ClientState>>();
  for (const { userId, client, status, reportedAtMs } of rows) {
    const states = byUser.get(userId) ?? new Map<string, ClientState>();
    byUser.set(userId, states.set(client, { status, reportedAtMs }));
  }
  return new Map([...byUser].map(([userId, states]) => [userId, bounded(states)]));
}

/** Takes what another source knows into `target`. */
export function takeStates(
  target: Map<number, ClientStates>,
  source: ReadonlyMap<number, ClientStates>,
): void {
  for (const [userId, states] of source) {
    const known = target.get(userId);
    target.set(userId, known === undefined ? states : mergeStates(known, states));
  }
}
