import { setImmediate as nextTurn } from 'node:timers/promises';

import { serviceUnavailable } from '@parley/api';
import type { HangUpSignal } from '@parley/api';
import type { Clock } from '@parley/clock';

/** A client that waited so long and was refused can also wait a little before it repeats. */
const retryAfterSecs = 5;

export type LineBounds = {
  /** The most requests served together, which share common work. */
  readonly batchMax: number;
  readonly batchesAtOnce: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
  /** An owner's next request waits for the previous one, also while there is capacity: what is served for long would otherwise take all of it. */
  readonly oneOfOwner?: boolean;
};

/** Why a waiting request was not served. */
export type LineRefusal = 'line' | 'wait';

type LineRequest = {
  /** The owner, who with all bots takes turns with other owners. */
  readonly ownerId: number;
  readonly signal: HangUpSignal;
};

type Waiting<Request, Result> = {
  readonly request: Request;
  readonly outcome: PromiseWithResolvers<Result>;
  /** Releases what was set up for the wait. */
  stopWaiting: () => void;
};

/**
 * Requests that wait for their turn, so that any number of them use only a few connections. Owners take turns: an owner with a hundred
 * requests waits with the second until every other owner's first was served. Unless the bounds say otherwise, nobody waits while there is
 * capacity. Requests of disconnected clients are dropped.
 */
export class FairLine<Request extends LineRequest, Result> {
  readonly #serve: (
    requests: readonly Request[],
  ) => Promise<readonly PromiseSettledResult<Result>[]>;
  readonly #bounds: LineBounds;
  readonly #clock: Clock;
  readonly #onRefused: (reason: LineRefusal) => void;
  /** By owner, in the order of the next turns. */
  readonly #lines = new Map<number, Set<Waiting<Request, Result>>>();
  /** Owners who must wait, although there may be capacity. */
  readonly #served = new Set<number>();
  #waiting = 0;
  #serving = 0;

  /** @param serve returns an outcome for each request, in order; its error is thrown to all of them */
  constructor(
    bounds: LineBounds,
    clock: Clock,
    onRefused: (reason: LineRefusal) => void,
    serve: (requests: readonly Request[]) => Promise<readonly PromiseSettledResult<Result>[]>,
  ) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#onRefused = onRefused;
    this.#serve = serve;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * @throws ApiError SERVICE_UNAVAILABLE at once if too many wait, later if the turn did not come in time or the client disconnected
   */
  async take(request: Request): Promise<Result> {
    if (request.signal.aborted) throw serviceUnavailable();
    if (this.#waiting >= this.#bounds.waitingMax) {
      this.#onRefused('line');
      throw serviceUnavailable(retryAfterSecs);
    }
    const outcome = Promise.withResolvers<Result>();
    this.#join(request, outcome);
    this.#serveMore();
    return outcome.promise;
  }

  #join(request: Request, outcome: PromiseWithResolvers<Result>): void {
    const leave = (): void => {
      this.#leave(waiting);
      outcome.reject(serviceUnavailable(retryAfterSecs));
    };
    const timer = this.#clock.after(this.#bounds.waitMaxMs, () => {
      this.#onRefused('wait');
      leave();
    });
    const stopWaiting = (): void => {
      timer.cancel();
      request.signal.removeEventListener('abort', leave);
    };
    const waiting = { request, outcome, stopWaiting };
    request.signal.addEventListener('abort', leave);
    const line = this.#lines.get(request.ownerId);
    if (line === undefined) this.#lines.set(request.ownerId, new Set([waiting]));
    else line.add(waiting);
    this.#waiting += 1;
  }

  #leave(waiting: Waiting<Request, Result>): void {
    const { ownerId } = waiting.request;
    const line = this.#lines.get(ownerId);
    if (line?.delete(waiting) !== true) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(ownerId);
    waiting.stopWaiting();
  }

  #serveMore(): void {
    if (this.#serving >= this.#bounds.batchesAtOnce || this.#nextOwner() === undefined) return;
    this.#serving += 1;
    void this.#serveBatch();
  }

  async #serveBatch(): Promise<void> {
    // Requests that arrive in the same turn are included.
    await nextTurn();
    const batch = this.#nextBatch();
    try {
      const outcomes =
        batch.length === 0 ? [] : await this.#serve(batch.map(({ request }) => request));
      for (const [index, { outcome }] of batch.entries()) {
        const settled = outcomes[index];
        if (settled === undefined) throw new Error('a request was not served');
        if (settled.status === 'fulfilled') outcome.resolve(settled.value);
        else outcome.reject(settled.reason);
      }
    } catch (error) {
      for (const { outcome } of batch) outcome.reject(error);
    }
    for (const { request } of batch) this.#served.delete(request.ownerId);
    this.#serving -= 1;
    this.#serveMore();
  }

  #nextOwner(): number | undefined {
    return this.#lines.keys().find((ownerId) => !this.#served.has(ownerId));
  }

  #nextBatch(): Waiting<Request, Result>[] {
    const batch: Waiting<Request, Result>[] = [];
    while (batch.length < this.#bounds.batchMax) {
      const ownerId = this.#nextOwner();
      if (ownerId === undefined) break;
      const line = this.#lines.get(ownerId);
      const [first] = line ?? [];
      if (line === undefined || first === undefined) throw new Error('a kept line is empty');
      this.#leave(first);
      batch.push(first);
      if (this.#bounds.oneOfOwner === true) this.#served.add(ownerId);
      // An owner with more requests comes after all others.
      if (this.#lines.delete(ownerId)) this.#lines.set(ownerId, line);
    }
    return batch;
  }
}
