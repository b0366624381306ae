import { ownerIdOf, serviceUnavailable } from '@parley/api';
import type { Caller } from '@parley/api';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Ordinary requests, a login above all, are far below. */
const smallBytes = 4_096;

/**
 * The bodies of requests that a process has in memory at once, together bounded: each is bounded by its endpoint, but anybody may send many.
 * What counts has arrived; what a client only announces costs nobody anything. Whoever sends may hold a third of the bound, so that nobody
 * alone takes the place of all others by sending slowly. An address is many senders: small requests have another third to themselves, so
 * that nobody's sign-in is refused for what a neighbour sends.
 */
export class HeldBodies {
  readonly #maxBytes: number;
  readonly #refusals: Counter;
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  /** @param maxBytes all bodies together */
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
      help: 'Requests refused because the bodies in memory had reached their bound',
      registers: [registry],
    });
  }

  /**
   * @param sender of `senderOf` or, of those who have not signed in, the address
   * @returns what one request holds, nothing yet
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

/** What one request holds of the bound. */
export class HeldBody {
  readonly #take: (bytes: number, ofRequest: number) => void;
  readonly #giveBack: (bytes: number) => void;
  #bytes = 0;

  /** Made by {@link HeldBodies.begin} only. */
  constructor(take: (bytes: number, ofRequest: number) => void, giveBack: (bytes: number) => void) {
    this.#take = take;
    this.#giveBack = giveBack;
  }

  /** @throws ApiError 503 where all requests together would hold too much */
  add(bytes: number): void {
    this.#take(bytes, this.#bytes + bytes);
    this.#bytes += bytes;
  }

  /** Gives back all; more than once is as good as once. */
  release(): void {
    this.#giveBack(this.#bytes);
    this.#bytes = 0;
  }
}

/**
 * Whose bodies are counted together: those of an owner and his bots, or none would be bound by a third. A service does not know the
 * addresses of those who have not signed in.
 */
export function senderOf(caller: Pick<Caller, 'userId' | 'botOwnerId'> | undefined): string {
  return caller === undefined ? 'nobody' : String(ownerIdOf(caller));
}
