/**
 * Judges a few passwords of one client address at a time; the others wait. So a client that tries wrong passwords delays its neighbours'
 * right ones a little but does not keep them out. Account names take turns: with a hundred passwords for one name, the second waits until
 * every other name had its first one judged. Each gateway has its own lines, in memory.
 */
import { rateLimitExceeded } from '@parley/api';
import type { ApiError, HangUpSignal } from '@parley/api';
import { FairLine, TurnMissed } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

import { ClientGone } from './request-body.ts';

export type PasswordLinesOptions = {
  readonly clock: Clock;
  /** How many passwords of one address are judged at a time. */
  readonly atOnceMax: number;
  readonly onRefused: () => void;
  readonly registry: Registry;
};

/** A refused client can wait a little before it tries again. */
const retryAfterSecs = 5;

/** Above this, one name would take the slots of all others. The limit of failed logins accepts no more anyway. */
const waitingOfNameMax = 20;

/** About as many as are judged within the longest wait. */
const waitingOfAddressMax = 200;

/** For all addresses together. Each waiting login keeps its request and connection. */
const waitingMax = 10_000;

/** Longer than judging a password takes. A service continues after the client hung up, so the slot stays taken for this time. */
const abandonedMs = 1_000;

/** The client of a password, with the parts of its response that are used here. */
type Client = {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
};

/** A password that may be judged now; its slot is taken until `end` is called. */
export type Turn = {
  /** @param wasAbandoned whether the client left before the answer */
  readonly end: (wasAbandoned: boolean) => void;
};

export class PasswordLines {
  readonly #options: PasswordLinesOptions;
  readonly #lines = new Map<string, FairLine<string>>();
  /** The waiting ones of all addresses. */
  #waiting = 0;

  constructor(options: PasswordLinesOptions) {
    this.#options = options;
    const countWaiting = (): number => this.#waiting;
    new Gauge({
      name: 'parley_gateway_waiting_passwords',
      help: 'Logins with passwords waiting for others from the same client address',
      registers: [options.registry],
      collect() {
        this.set(countWaiting());
      },
    });
  }

  /** The number of addresses in memory. */
  get size(): number {
    return this.#lines.size;
  }

  /**
   * Waits until a password may be judged.
   *
   * @param name of the account
   * @param waitMaxMs the longest wait
   * @param client if it hangs up, the wait ends
   * @throws ApiError 429 after the longest wait, or at once if too many wait
   * @throws ClientGone
   */
  async enter(address: string, name: string, waitMaxMs: number, client: Client): Promise<Turn> {
    if (client.destroyed) throw new ClientGone('the client hung up before its turn');
    const line = this.#lineOf(address);
    await this.#wait(line, name, waitMaxMs, client);
    let hasEnded = false;
    const end = (): void => {
      line.leave(name);
      if (line.isIdle) this.#lines.delete(address);
    };
    return {
      end: (wasAbandoned) => {
        if (hasEnded) return;
        hasEnded = true;
        if (wasAbandoned) this.#options.clock.after(abandonedMs, end).unref();
        else end();
      },
    };
  }

  /** The refusal of a password that is not judged in time. */
  refusal(): ApiError {
    const { atOnceMax, clock, onRefused } = this.#options;
    onRefused();
    return rateLimitExceeded(retryAfterSecs, {
      'X-RateLimit-Limit': String(atOnceMax),
      'X-RateLimit-Reset': String(Math.ceil(clock.nowMs() / 1000) + retryAfterSecs),
    });
  }

  #lineOf(address: string): FairLine<string> {
    const known = this.#lines.get(address);
    if (known !== undefined) return known;
    const { atOnceMax, clock } = this.#options;
    const line = new FairLine<string>(clock, {
      atOnceMax,
      waitingMax: waitingOfAddressMax,
      waitingOfOwnerMax: waitingOfNameMax,
    });
    this.#lines.set(address, line);
    return line;
  }

  async #wait(line: FairLine<string>, name: string, maxMs: number, client: Client): Promise<void> {
    if (line.isBusyFor(name) && this.#waiting >= waitingMax) throw this.refusal();
    this.#waiting += 1;
    try {
      await line.enter(name, { maxMs, gone: goneSignalOf(client) });
    } catch (error) {
      if (!(error instanceof TurnMissed)) throw error;
      throw error.reason === 'gone'
        ? new ClientGone('the client hung up before its turn')
        : this.refusal();
    } finally {
      this.#waiting -= 1;
    }
  }
}

function goneSignalOf(client: Client): HangUpSignal {
  return {
    aborted: client.destroyed,
    addEventListener: (_type, listener) => client.once('close', listener),
    removeEventListener: (_type, listener) => client.off('close', listener),
  };
}
