import type { Pool } from '@parley/database';
import type { Redis } from '@parley/cluster/redis';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Shows an operator the state of a process's stores: the pool, and the connection for requests. */
export function registerStoreMetrics(registry: Registry, pool: Pool, redis: Redis): void {
  const registers = [registry];
  new Gauge({
    name: 'parley_database_requests_waiting',
    help: 'Requests waiting for a connection of the pool',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
  new Gauge({
    name: 'parley_database_connections',
    help: 'Connections of the pool for requests, by state (busy, idle)',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'parley_redis_connected',
    help: '1 while the connection to Redis for requests is open, otherwise 0',
    registers,
    collect() {
      this.set(redis.status === 'ready' ? 1 : 0);
    },
  });
}
