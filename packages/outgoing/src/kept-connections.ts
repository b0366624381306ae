/**
 * Connections over TLS that stay open for a moment after a request, for the next one to the same host and port. A new one costs more than the
 * request. Each was judged when it was made, and its address is judged again for each request that it serves.
 */
import { Agent } from 'node:https';
import type { AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';

import { limitMs } from '@parley/clock';
import type { Clock } from '@parley/clock';

export type KeptConnectionsBounds = {
  /** Of one host and port. */
  readonly perServerMax: number;
  readonly allMax: number;
  /** After this time without a request a connection is closed: before servers commonly do it, since a request may be lost then. */
  readonly idleMs: number;
  /** A host that has moved is looked up again after this time at the latest. */
  readonly keptForMs: number;
};

/** An agent, because Node's requests take their connections from one. */
export class KeptConnections extends Agent {
  readonly #bounds: KeptConnectionsBounds;
  readonly #clock: Clock;
  readonly #firstKeptAtMs = new WeakMap<Duplex, number>();

  constructor(bounds: KeptConnectionsBounds, clock: Clock) {
    const options: AgentOptions = {
      keepAlive: true,
      maxFreeSockets: bounds.perServerMax,
      timeout: limitMs(clock, bounds.idleMs),
    };
    super(options);
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** How many wait for a request. */
  get idle(): number {
    return Object.values(this.freeSockets).reduce(
      (sum, sockets) => sum + (sockets?.length ?? 0),
      0,
    );
  }

  /** @returns whether a connection stays when its request has ended; Node closes it otherwise */
  override keepSocketAlive(socket: Duplex): boolean {
    const nowMs = this.#clock.elapsedMs();
    const firstKeptAtMs = this.#firstKeptAtMs.get(socket) ?? nowMs;
    this.#firstKeptAtMs.set(socket, firstKeptAtMs);
    if (this.idle >= this.#bounds.allMax) return false;
    if (nowMs - firstKeptAtMs >= this.#bounds.keptForMs) return false;
    super.keepSocketAlive(socket);
    return true;
  }
}
