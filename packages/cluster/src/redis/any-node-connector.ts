import { connect as connectPlainly } from 'node:net';
import { connect as connectWithTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

import type { RedisHost } from '@parley/config';
import { AbstractConnector } from 'ioredis';

const disconnectTimeoutMs = 2_000;

/**
 * Makes connections to one node of a cluster, each time to the next in the list, starting at a random one.
 *
 * Every node of a cluster passes on messages published at any node, so a subscriber needs only one ordinary connection that reconnects for
 * ever. The cluster client's own subscriber gives up a subscription for good if nodes are down for two seconds.
 *
 * @returns a `Connector` for ioredis
 */
export function anyNodeConnector(
  nodes: readonly RedisHost[],
  tls: ConnectionOptions | undefined,
): new () => AbstractConnector {
  return class extends AbstractConnector {
    #next = Math.floor(Math.random() * nodes.length);

    constructor() {
      super(disconnectTimeoutMs);
    }

    override connect(): ReturnType<AbstractConnector['connect']> {
      const node = nodes[this.#next % nodes.length];
      if (node === undefined) throw new Error('a cluster has nodes');
      this.#next += 1;
      this.connecting = true;
      const stream =
        tls === undefined ? connectPlainly({ ...node }) : connectWithTls({ ...node, ...tls });
      stream.once('error', (error) => {
        this.firstError = error;
      });
      this.stream = stream;
      return Promise.resolve(stream);
    }
  };
}
