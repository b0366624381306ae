import type { EventEmitter } from 'node:events';

import { Cluster } from 'ioredis';
import type { RedisCommander } from 'ioredis';

/** A connection to Redis, whether that is one server, a set that sentinels watch, or a cluster. */
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
 * Calls `listener` whenever Redis may from now on have less than it had: its connection was lost, or in a cluster that to a node,
 * or another node took over. What replicas had not received is gone then.
 */
export function onMayHaveLost(redis: Redis, listener: () => void): void {
  redis.on('close', listener);
  if (!(redis instanceof Cluster)) return;
  redis.on('-node', listener);
  let known = '';
  // A primary that was only cut off leaves no connection behind that closes.
  redis.on('refresh', () => {
    const primaries = primariesOf(redis);
    if (known !== '' && primaries !== known) listener();
    known = primaries;
  });
}

/** Calls `listener` whenever Redis may have come back; in a cluster also each time it was asked for its nodes. */
export function onMayBeBack(redis: Redis, listener: () => void): void {
  redis.on('ready', listener);
  if (redis instanceof Cluster) redis.on('refresh', listener);
}
