import { connect as connectPlainly } from 'node:net';
import { connect as connectWithTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

import type { RedisHost } from '@parley/config';
import { AbstractConnector } from 'ioredis';

const disconnectTimeoutMs = 2_000;

/**
 * Makes connections to one node of a cluster, each time to the next of the list, from a random one on.
 *
 * Every node of a cluster passes on what is published at any, so a subscriber needs only one, and an ordinary connection that
 * never ends; the cluster client's own subscriber gives a subscription up for good where nodes stay away for two seconds.
 *
 * @returns what ioredis takes as `Connector`
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
