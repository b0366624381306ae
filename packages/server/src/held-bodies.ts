import { ownerIdOf, serviceUnavailable } from '@parley/api';
import type { Caller } from '@parley/api';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Ordinary requests, such as logins, are far smaller. */
const smallBytes = 4_096;

/**
 * Bounds the request bodies that a process has in memory at once. Each body is bounded by its endpoint, but a client may send many. Only
 * received bytes count, because announced bytes cost nothing. One sender may use a third of the bound, so that no slow sender can take the
 * place of all others. An address may be many senders: another third is reserved for small requests, so that large requests of a neighbour
 * cannot prevent a sign-in.
 */
export class HeldBodies {
  readonly #maxBytes: number;
  readonly #refusals: Counter;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  /** @param maxBytes of all bodies together */
  constructor(maxBytes: number, registry: Registry) {
    this.#maxBytes = maxBytes;
    new Gauge({
      name: 'parley_held_body_bytes',
      help: 'Bytes of request bodies in memory',
      registers: [registry],
      collect: this.#collectInto(),
    });
    this.#refusals = new Counter({
      name: 'parley_held_body_refusals_total',
      help: 'Requests refused because request bodies in memory had reached their limit',
      registers: [registry],
    });
  }

  /**
   * @param sender from `senderOf` or, without an account, the address
   * @returns the share of one request, empty at first
   */
  begin(sender: string): HeldBody {
    return new HeldBody(
      (bytes, ofRequest) => this.#take(sender, bytes, ofRequest),
      (bytes) => this.#giveBack(sender, bytes),
    );
  }

  #take(sender: string, bytes: number, ofRequest: number): void {
    const ofSender = (this.#bytesOf.get(sender) ?? 0) + bytes;
    const thirds = ofRequest <= smallBytes ? 2 : 1;
    if (this.#bytes + bytes > this.#maxBytes || ofSender > (this.#maxBytes / 3) * thirds) {
      this.#refusals.inc();
      throw serviceUnavailable();
    }
    this.#bytes += bytes;
    this.#bytesOf.set(sender, ofSender);
  }

  #giveBack(sender: string, bytes: number): void {
    if (bytes === 0) return;
    this.#bytes -= bytes;
    const left = (this.#bytesOf.get(sender) ?? 0) - bytes;
    if (left === 0) this.#bytesOf.delete(sender);
    else this.#bytesOf.set(sender, left);
  }

  #collectInto(): (this: Gauge) => void {
    const read = (): number => this.#bytes;
    return function collect(this: Gauge) {
      this.set(read());
    };
  }
}

/** The share of one request in the bound. */
export class HeldBody {
  readonly #take: (bytes: number, ofRequest: number) => void;
  readonly #giveBack: (bytes: number) => void;
  #bytes = 0;

  /** Only for {@link HeldBodies.begin}. */
  constructor(take: (bytes: number, ofRequest: number) => void, giveBack: (bytes: number) => void) {
    this.#take = take;
    this.#giveBack = giveBack;
  }

  /** @throws ApiError 503 if all requests together would exceed the bound */
  add(bytes: number): void {
    this.#take(bytes, this.#bytes + bytes);
    this.#bytes += bytes;
  }

  /** Releases everything; may be called more than once. */
  release(): void {
    this.#giveBack(this.#bytes);
    this.#bytes = 0;
  }
}

/**
 * The sender whose bodies are counted together: an owner with all bots, because otherwise bots would evade the bound. A service does not
 * know the addresses of clients that have not signed in.
 */
export function senderOf(caller: Pick<Caller, 'userId' | 'botOwnerId'> | undefined): string {
  return caller === undefined ? 'nobody' : String(ownerIdOf(caller));
}
