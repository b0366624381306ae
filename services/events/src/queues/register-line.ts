import { setImmediate as nextTurn } from 'node:timers/promises';

import { limits } from '@parley/api';
import { FairLine } from '@parley/clock';
import type { Clock, MissedTurn } from '@parley/clock';
import { takeTurn } from '@parley/server';

import type { QueueRequest, RegisteredQueue } from './register-queue.ts';

/** The most registers served together, which share common work. */
const batchMax = 16;

/** Above what a gateway can hold for clients. */
const waitingMax = 10_000;

/** Why a waiting register was not served. */
export type RegisterRefusal = 'line' | 'wait';

export type RegisterLineOptions = {
  readonly batchesAtOnce: number;
  readonly onRefused: (reason: RegisterRefusal) => void;
  /** Returns an outcome for each request, in order; its error is thrown to all of them. */
  readonly serve: (
    requests: readonly QueueRequest[],
  ) => Promise<readonly PromiseSettledResult<RegisteredQueue>[]>;
};

type Called = {
  readonly request: QueueRequest;
  readonly served: PromiseWithResolvers<RegisteredQueue>;
};

/** Registers wait here for their turn, owners one after the other, and are served in batches. A client waits longer than they may. */
export class RegisterLine {
  readonly #options: RegisterLineOptions;
  /** A turn comes when a batch begins. */
  readonly #line: FairLine<number>;
  /** Those whose turn has come, for the batch that begins. */
  #called: Called[] = [];
  #serving = 0;

  constructor(clock: Clock, options: RegisterLineOptions) {
    this.#options = options;
    this.#line = new FairLine(clock, { atOnceMax: 0, waitingMax });
  }

  get waiting(): number {
    return this.#line.waiting;
  }

  /** @throws ApiError SERVICE_UNAVAILABLE if too many wait, the turn does not come in time, or the client is gone; else as `serve` */
  take(request: QueueRequest): Promise<RegisteredQueue> {
    const served = Promise.withResolvers<RegisteredQueue>();
    const wait = {
      gone: request.signal,
      maxMs: limits.registerWaitMaxMs,
      onTurn: (): void => {
        this.#called.push({ request, served });
      },
      onMissed: (reason: MissedTurn): void => {
        if (reason !== 'gone') this.#options.onRefused(reason === 'full' ? 'line' : 'wait');
      },
    };
    const taking = takeTurn(this.#line, request.ownerId, wait, () => served.promise);
    this.#serveMore();
    return taking;
  }

  #serveMore(): void {
    if (this.#serving >= this.#options.batchesAtOnce || this.#line.waiting === 0) return;
    this.#serving += 1;
    void this.#serveBatch();
  }

  async #serveBatch(): Promise<void> {
    // Requests that arrive in the same turn are included.
    await nextTurn();
    while (this.#called.length < batchMax && this.#line.callNext());
    const batch = this.#called;
    this.#called = [];
    try {
      const requests = batch.map(({ request }) => request);
      const outcomes = requests.length === 0 ? [] : await this.#options.serve(requests);
      for (const [n, { served }] of batch.entries()) {
        const outcome = outcomes[n];
        if (outcome === undefined) throw new Error('a register was not served');
        if (outcome.status === 'fulfilled') served.resolve(outcome.value);
        else served.reject(outcome.reason);
      }
    } catch (error) {
      for (const { served } of batch) served.reject(error);
    }
    this.#serving -= 1;
    this.#serveMore();
  }
}
