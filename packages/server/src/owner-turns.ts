import { ownerIdOf, takesTurns } from '@parley/api';
import type { Endpoint, HangUpSignal } from '@parley/api';
import { FairLine } from '@parley/clock';
import type { Clock, MissedTurn } from '@parley/clock';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import type { UntypedRequest } from './implement.ts';
import { takeTurn } from './take-turn.ts';

export type TurnBounds = {
  /** For one owner. */
  readonly atOnceMax: number;
  readonly waitingMax: number;
};

/**
 * Limits the concurrent changes of an owner with all bots. A change holds a connection to Postgres while it waits for locks. Hundreds of
 * one owner's changes that wait for one another would take the connections of all others. Changes that wait here hold no connection.
 */
export class OwnerTurns {
  readonly #line: FairLine<number>;
  readonly #refusals: Counter;

  constructor({ atOnceMax, waitingMax }: TurnBounds, clock: Clock, registry: Registry) {
    this.#line = new FairLine(clock, {
      atOnceMax: Infinity,
      atOnceOfOwnerMax: atOnceMax,
      waitingOfOwnerMax: waitingMax,
    });
    const readWaiting = (): number => this.#line.waiting;
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
  take<Result>(
    ownerId: number,
    gone: HangUpSignal,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    const onMissed = (reason: MissedTurn): void => {
      if (reason === 'full') this.#refusals.inc();
    };
    return takeTurn(this.#line, ownerId, { gone, onMissed }, work);
  }
}

/** Handles a request; changes take turns. */
export function inTurn<Result>(
  turns: OwnerTurns | undefined,
  endpoint: Pick<Endpoint, 'method' | 'file' | 'limits'>,
  { caller, signal }: Pick<UntypedRequest, 'caller' | 'signal'>,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return turns === undefined || caller === undefined || !takesTurns(endpoint)
    ? work()
    : turns.take(ownerIdOf(caller), signal, work);
}
