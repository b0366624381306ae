import { ownerIdOf, serviceUnavailable, takesTurns } from '@parley/api';
import type { Endpoint, HangUpSignal } from '@parley/api';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import type { UntypedRequest } from './implement.ts';

export type TurnBounds = {
  /** For one owner. */
  readonly atOnceMax: number;
  readonly waitingMax: number;
};

type Turns = { running: number; readonly waiting: Set<() => void> };

/**
 * Limits the concurrent changes of an owner with all bots. A change holds a connection to Postgres while it waits for locks. Hundreds of
 * one owner's changes that wait for one another would take the connections of all others. Changes that wait here hold no connection.
 */
export class OwnerTurns {
  readonly #bounds: TurnBounds;
  readonly #owners = new Map<number, Turns>();
  readonly #refusals: Counter;
  #waiting = 0;

  constructor(bounds: TurnBounds, registry: Registry) {
    this.#bounds = bounds;
    const readWaiting = (): number => this.#waiting;
    new Gauge({
      name: 'parley_changes_waiting',
      help: 'Changes waiting for earlier changes of the same owner',
      registers: [registry],
      collect() {
        this.set(readWaiting());
      },
    });
    this.#refusals = new Counter({
      name: 'parley_changes_waiting_refused_total',
      help: 'Changes refused because too many changes of the same owner were waiting',
      registers: [registry],
    });
  }

  /**
   * Runs work when it is the owner's turn.
   *
   * @throws ApiError SERVICE_UNAVAILABLE if too many of the owner's changes wait, or nobody waits for the answer; any error of the work
   */
  async take<Result>(
    ownerId: number,
    signal: HangUpSignal,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    const turns = this.#owners.get(ownerId) ?? { running: 0, waiting: new Set() };
    this.#owners.set(ownerId, turns);
    if (turns.running >= this.#bounds.atOnceMax) await this.#wait(turns, signal);
    else turns.running += 1;
    try {
      return await work();
    } finally {
      this.#pass(ownerId, turns);
    }
  }

  async #wait({ waiting }: Turns, signal: HangUpSignal): Promise<void> {
    if (waiting.size >= this.#bounds.waitingMax) {
      this.#refusals.inc();
      throw serviceUnavailable();
    }
    const turn = Promise.withResolvers<void>();
    const leave = (): void => {
      if (waiting.delete(turn.resolve)) turn.reject(serviceUnavailable());
    };
    waiting.add(turn.resolve);
    this.#waiting += 1;
    signal.addEventListener('abort', leave);
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#waiting -= 1;
    }
  }

  /** The longest waiting change takes over the slot. */
  #pass(ownerId: number, turns: Turns): void {
    const [next] = turns.waiting;
    if (next !== undefined) {
      turns.waiting.delete(next);
      next();
      return;
    }
    turns.running -= 1;
    if (turns.running === 0) this.#owners.delete(ownerId);
  }
}

/** Handles a request; changes take turns. */
export function inTurn<Result>(
  turns: OwnerTurns | undefined,
  endpoint: Pick<Endpoint, 'method' | 'takesFile' | 'manyAtOnce'>,
  { caller, signal }: Pick<UntypedRequest, 'caller' | 'signal'>,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return turns === undefined || caller === undefined || !takesTurns(endpoint)
    ? work()
    : turns.take(ownerIdOf(caller), signal, work);
}
