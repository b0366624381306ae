/**
 * Judges a few passwords of one client address at a time; the others wait. So a client that tries wrong passwords delays its neighbours'
 * right ones a little but does not keep them out. Account names take turns: with a hundred passwords for one name, the second waits until
 * every other name had its first one judged. Each gateway has its own lines, in memory.
 */
import { rateLimitExceeded } from '@parley/api';
import type { ApiError } from '@parley/api';
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

type Waiting = { readonly begin: () => void };

/** The passwords of one address. */
class Line {
  judged = 0;
  waiting = 0;
  /** By account name, in the order of their turns. */
  readonly #byName = new Map<string, Set<Waiting>>();

  countOf(name: string): number {
    return this.#byName.get(name)?.size ?? 0;
  }

  add(name: string, waiting: Waiting): void {
    const others = this.#byName.get(name);
    if (others === undefined) this.#byName.set(name, new Set([waiting]));
    else others.add(waiting);
    this.waiting += 1;
  }

  delete(name: string, waiting: Waiting): void {
    const others = this.#byName.get(name);
    if (others?.delete(waiting) !== true) return;
    this.waiting -= 1;
    if (others.size === 0) this.#byName.delete(name);
  }

  /** @returns the next to be judged; a name with more of them comes after all others */
  next(): Waiting | undefined {
    const [turn] = this.#byName;
    if (turn === undefined) return undefined;
    const [name, ofName] = turn;
    const [first] = ofName;
    if (first === undefined) throw new Error('a kept name has no waiting password');
    this.delete(name, first);
    if (this.#byName.delete(name)) this.#byName.set(name, ofName);
    return first;
  }
}

/** A password that may be judged now; its slot is taken until `end` is called. */
export type Turn = {
  /** @param wasAbandoned whether the client left before the answer */
  readonly end: (wasAbandoned: boolean) => void;
};

export class PasswordLines {
  readonly #options: PasswordLinesOptions;
  readonly #lines = new Map<string, Line>();
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
    const line = this.#lines.get(address) ?? new Line();
    this.#lines.set(address, line);
    if (line.judged >= this.#options.atOnceMax) await this.#wait(line, name, waitMaxMs, client);
    else line.judged += 1;
    let hasEnded = false;
    const end = (): void => this.#endTurn(address, line);
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

  #wait(line: Line, name: string, waitMaxMs: number, client: Client): Promise<void> {
    const isFull =
      this.#waiting >= waitingMax ||
      line.waiting >= waitingOfAddressMax ||
      line.countOf(name) >= waitingOfNameMax;
    if (isFull) throw this.refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      this.#waiting -= 1;
      timer.cancel();
      client.off('close', onClose);
    };
    const leave = (reason: Error): void => {
      line.delete(name, waiting);
      stop();
      reject(reason);
    };
    const onClose = (): void => leave(new ClientGone('the client hung up before its turn'));
    const waiting: Waiting = {
      begin: () => {
        stop();
        resolve();
      },
    };
    const timer = this.#options.clock.after(waitMaxMs, () => leave(this.refusal()));
    client.once('close', onClose);
    line.add(name, waiting);
    this.#waiting += 1;
    return promise;
  }

  #endTurn(address: string, line: Line): void {
    const next = line.next();
    // The next one takes over the slot.
    if (next !== undefined) {
      next.begin();
      return;
    }
    line.judged -= 1;
    if (line.judged === 0) this.#lines.delete(address);
  }
}
