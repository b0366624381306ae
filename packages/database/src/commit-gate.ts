import { AsyncLocalStorage } from 'node:async_hooks';

import pg from 'pg';

import { isUndone } from './undone.ts';

const current = new AsyncLocalStorage<CommitGate>();

/** The gate of the work is closed, so nothing more of it is committed. */
export class GateClosed extends Error {}

// A transaction that idled or lasted too long was ended before its COMMIT was read, and a connection that is known to be lost sends nothing.
const endedBefore = /^25P0[34]$/;
const neverSent = /^Client (?:has encountered a connection error|was closed) and is not queryable$/;

/** Whether an error proves that the transaction whose COMMIT failed was rolled back. */
function provesRollback(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!(error instanceof pg.DatabaseError)) return neverSent.test(error.message);
  return isUndone(error) || endedBefore.test(error.code ?? '');
}

/**
 * Stands before the commits of one request. It can be closed until the first of them is sent, and then nothing of the request is ever
 * committed. So whoever waits no longer knows that nothing happened, or that something may have.
 */
export class CommitGate {
  #isClosed = false;
  #passed = 0;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @returns whether the gate is closed now; it stays open if something was committed, or a commit was sent whose outcome is unknown */
  close(): boolean {
    this.#isClosed ||= this.#passed === 0;
    return this.#isClosed;
  }

  /**
   * Does the work whose commits pass here.
   *
   * @throws GateClosed if the gate was closed before it began
   */
  run<Result>(work: () => Result): Result {
    if (this.#isClosed) throw new GateClosed('closed before the work began');
    return current.run(this, work);
  }

  async pass<Result>(commit: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new GateClosed('closed before the commit');
    this.#passed += 1;
    try {
      return await commit();
    } catch (error) {
      if (provesRollback(error)) this.#passed -= 1;
      throw error;
    }
  }
}

/**
 * Commits through the gate of the work that this belongs to, if it has one.
 *
 * @param commit sends the COMMIT, or a statement that commits by itself
 * @throws GateClosed if the gate is closed; nothing was sent then
 */
export function commitThroughGate<Result>(commit: () => Promise<Result>): Promise<Result> {
  return current.getStore()?.pass(commit) ?? commit();
}
