import { setTimeout as pause } from 'node:timers/promises';

import type { Follower, Notes } from './follower.ts';
import { checked } from './follower.ts';
import { HttpConnection } from './http-connection.ts';
import { messagesOnly } from './protocol.ts';

/** How often a client deletes its queue and registers another, and how often it keeps its connection after an answer. */
const renewProbability = 0.1;
const keepProbability = 0.5;
const pauseAfterFaultMs = 100;

/**
 * Clients in bad networks: each opens a poll, hangs up at a random moment or waits for the answer, and opens the next on the same
 * or another connection. Now and then it deletes its queue and registers a new one.
 *
 * @param holdMaxMs the longest time that a client waits before it hangs up
 */
export async function churn(
  followers: readonly Follower[],
  notes: Notes,
  holdMaxMs: number,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    followers.map(async (follower) => {
      let connection = new HttpConnection(follower.url);
      while (!signal.aborted) {
        try {
          if (Math.random() < renewProbability) {
            await follower.delete(connection);
            notes.counts.deleted += 1;
            await follower.register(connection, messagesOnly);
          }
          const wasAnswered = await pollOrHangUp(follower, connection, notes, holdMaxMs, signal);
          if (wasAnswered && Math.random() < keepProbability) continue;
        } catch (error) {
          notes.fault(`client ${follower.index}: ${String(error)}`);
          await pause(pauseAfterFaultMs);
        }
        connection.abort();
        connection = new HttpConnection(follower.url);
      }
      connection.abort();
    }),
  );
}

/** @returns whether the answer came before the client hung up */
async function pollOrHangUp(
  follower: Follower,
  connection: HttpConnection,
  notes: Notes,
  holdMaxMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const given = new AbortController();
  const hangUp = pause(Math.random() * holdMaxMs, undefined, {
    signal: AbortSignal.any([signal, given.signal]),
  }).then(
    () => 'hung-up' as const,
    () => 'hung-up' as const,
  );
  const answer = follower.pollOn(connection).catch((error: unknown) => error as Error);
  const first = await Promise.race([answer, hangUp]);
  given.abort();
  if (first === 'hung-up') {
    connection.abort();
    await answer;
    notes.counts.abandoned += 1;
    return false;
  }
  if (first instanceof Error) throw first;
  checked(first);
  // Without this, every later poll would request the same events again, and be answered at once.
  follower.acknowledge(first);
  return true;
}
