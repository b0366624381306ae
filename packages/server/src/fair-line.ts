import { setImmediate as nextTurn } from 'node:timers/promises';

import { serviceUnavailable } from '@parley/api';
import type { HangUpSignal } from '@parley/api';

/** Who may wait so long and is refused then may as well wait a little before the next try. */
const retryAfterSecs = 5;

export type LineBounds = {
  /** Requests served together, which share what is the same for them. */
  readonly batchMax: number;
  readonly batchesAtOnce: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
};

/** Why somebody in a line was not served. */
export type LineRefusal = 'line' | 'wait';

type AskedFor = {
  /** Who is served in turn with others: a person, with all his bots. */
  readonly ownerId: number;
  readonly signal: HangUpSignal;
};

type Waiting<Request, Result> = {
  readonly request: Request;
  readonly outcome: PromiseWithResolvers<Result>;
  /** Ends what was begun for the time of waiting. */
  stopWaiting: () => void;
};

/**
 * Requests that wait for their turn, so that however many come at once take no more than a few connections. People are served in
 * turn: who asks a hundred times waits with the second request until everybody else had a first one served. Nobody waits while there
 * is room, and whose client has gone is not served.
 */
export class FairLine<Request extends AskedFor, Result> {
  readonly #serve: (
    requests: readonly Request[],
  ) => Promise<readonly PromiseSettledResult<Result>[]>;
  readonly #bounds: LineBounds;
  readonly #onRefused: (reason: LineRefusal) => void;
  /** By owner, in the order in which they are served next. */
  readonly #lines = new Map<number, Set<Waiting<Request, Result>>>();
  #waiting = 0;
  #serving = 0;

  /** @param serve gives an outcome for each request, in their order; what it throws is thrown to all of them */
  constructor(
    bounds: LineBounds,
    onRefused: (reason: LineRefusal) => void,
    serve: (requests: readonly Request[]) => Promise<readonly PromiseSettledResult<Result>[]>,
  ) {
    this.#bounds = bounds;
    this.#onRefused = onRefused;
    this.#serve = serve;
  }

  /** Requests whose turn has not come. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * @throws ApiError SERVICE_UNAVAILABLE at once when too many wait, later when the turn did not come in time, and when the client
   *   has gone, which nobody reads
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
    const timer = setTimeout(() => {
      this.#onRefused('wait');
      leave();
    }, this.#bounds.waitMaxMs);
    const stopWaiting = (): void => {
      clearTimeout(timer);
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
    if (this.#waiting === 0 || this.#serving >= this.#bounds.batchesAtOnce) return;
    this.#serving += 1;
    void this.#serveBatch();
  }

  async #serveBatch(): Promise<void> {
    // What arrives in the same turn goes along.
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
    this.#serving -= 1;
    this.#serveMore();
  }

  #nextBatch(): Waiting<Request, Result>[] {
    const batch: Waiting<Request, Result>[] = [];
    while (batch.length < this.#bounds.batchMax) {
      const [next] = this.#lines;
      if (next === undefined) break;
      const [ownerId, line] = next;
      const [first] = line;
      if (first === undefined) throw new Error('nobody is in a line that is kept');
      this.#leave(first);
      batch.push(first);
      // Whoever waits with more comes after everybody else.
      if (this.#lines.delete(ownerId)) this.#lines.set(ownerId, line);
    }
    return batch;
  }
}
