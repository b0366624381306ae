/**
 * Chooses nodes: live leases in round robin, and last the nodes that just refused a connection. A dead node keeps its lease for some
 * seconds; remembering the refusal saves the attempt for every request in that time.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';

import type { Clock } from '@parley/clock';
import type { LeaseState, LiveNode } from '@parley/cluster/placement';
import { holdersOfQueue } from '@parley/cluster/placement';

/** The list of live nodes, as `LiveServices` gives it. */
export type NodeList = {
  nodes(service: string): readonly LiveNode[];
  stateOf(nodeId: string): LeaseState;
  onLeasesChanged(listener: () => void): () => void;
  readAgain(): Promise<void>;
};

/** For this time after a refused connection, a node is tried last. */
const suspectMs = 2_000;

export type Address = { readonly hostname: string; readonly port: string };

/** Splits `host:port`; an IPv6 host loses its brackets. */
export function parseAddress(address: string): Address {
  const colon = address.lastIndexOf(':');
  return {
    hostname: address.slice(0, colon).replaceAll(/[[\]]/g, ''),
    port: address.slice(colon + 1),
  };
}

export class Upstreams {
  readonly list: NodeList;
  readonly #clock: Clock;
  readonly #suspectUntilMs = new Map<string, number>();
  readonly #turns = new Map<string, number>();

  constructor(list: NodeList, clock: Clock) {
    this.list = list;
    this.#clock = clock;
  }

  /** The nodes of a service in rotation: each call starts with the next. */
  inTurn(service: string): LiveNode[] {
    const nodes = this.list.nodes(service);
    if (nodes.length < 2) return [...nodes];
    const turn =
      ((this.#turns.get(service) ?? Math.floor(Math.random() * nodes.length)) + 1) % nodes.length;
    this.#turns.set(service, turn);
    return this.#suspectsLast([...nodes.slice(turn), ...nodes.slice(0, turn)]);
  }

  /** The event nodes in the order of preference for a queue. */
  holdersOf(queueId: string): LiveNode[] {
    return this.#suspectsLast(holdersOfQueue(queueId, this.list.nodes('events')));
  }

  /** Reports that a node could not be reached. */
  suspect(nodeId: string): void {
    const now = this.#clock.elapsedMs();
    for (const [known, untilMs] of this.#suspectUntilMs) {
      if (untilMs <= now) this.#suspectUntilMs.delete(known);
    }
    this.#suspectUntilMs.set(nodeId, now + suspectMs);
  }

  #suspectsLast(nodes: LiveNode[]): LiveNode[] {
    if (this.#suspectUntilMs.size === 0) return nodes;
    const now = this.#clock.elapsedMs();
    const isSuspect = (node: LiveNode): boolean =>
      (this.#suspectUntilMs.get(node.nodeId) ?? 0) > now;
    return [...nodes.filter((node) => !isSuspect(node)), ...nodes.filter(isSuspect)];
  }
}

/** An attempt to connect to an unreachable machine is abandoned after this time. */
export const connectTimeoutMs = 1_500;

/**
 * Abandons a connection that is not established in time. What the network says is read first: a process that was held up finds the time
 * over and the connection established at the same moment.
 *
 * @param onTimeout called at most once, while the socket still connects
 */
export function limitConnecting(clock: Clock, socket: Socket, onTimeout: () => void): void {
  if (!socket.connecting) return;
  const timer = clock.after(connectTimeoutMs, () => {
    setImmediate(() => {
      if (socket.connecting) onTimeout();
    });
  });
  const stop = (): void => timer.cancel();
  socket.once('connect', stop);
  socket.once('close', stop);
}

/** Tests whether a node accepts connections, for requests that can be sent only once. */
export function takesConnections(clock: Clock, address: string): Promise<boolean> {
  const { hostname, port } = parseAddress(address);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const end = (takes: boolean): void => {
      socket.destroy();
      resolve(takes);
    };
    socket.on('connect', () => end(true));
    limitConnecting(clock, socket, () => end(false));
    socket.on('error', () => end(false));
  });
}
