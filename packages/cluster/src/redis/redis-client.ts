import type { EventEmitter } from 'node:events';

import { Cluster } from 'ioredis';
import type { RedisCommander } from 'ioredis';

/** A connection to Redis as one server, a set watched by sentinels, or a cluster. */
export type Redis = RedisCommander<{ type: 'default'; mapping: 'resp2' }> &
  EventEmitter & {
    readonly status: string;
    readonly isCluster: boolean;
    readonly defineCommand: (name: string, definition: { readonly lua: string }) => void;
    readonly disconnect: () => void;
  };

function primariesOf(cluster: Pick<Cluster, 'nodes'>): string {
  return cluster
    .nodes('master')
    .map(({ options: { host, port } }) => `${host}:${port}`)
    .toSorted()
    .join();
}

/**
 * Calls `listener` whenever Redis may have lost data: its connection was lost, or in a cluster the connection to a node, or another node
 * took over. Data that replicas had not received is lost then.
 */
export function onMayHaveLost(redis: Redis, listener: () => void): void {
  redis.on('close', listener);
  if (!(redis instanceof Cluster)) return;
  redis.on('-node', listener);
  let known = '';
  // If a primary was only disconnected from the others, no connection closes.
  redis.on('refresh', () => {
    const primaries = primariesOf(redis);
    if (known !== '' && primaries !== known) listener();
    known = primaries;
  });
}

/** Calls `listener` whenever Redis may be back; in a cluster also each time it was asked for its nodes. */
export function onMayBeBack(redis: Redis, listener: () => void): void {
  redis.on('ready', listener);
  if (redis instanceof Cluster) redis.on('refresh', listener);
}
