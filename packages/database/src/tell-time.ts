import type { Clock } from '@parley/clock';
import type pg from 'pg';

/** Tells each connection of a pool what time it is before it is used, so that `parley_now()` returns it: the time of a clock that is moved. */
export function tellTime(pool: pg.Pool, clock: Clock): void {
  const told = new WeakMap<pg.PoolClient, number>();
  pool.on('acquire', (client) => {
    const nowMs = clock.nowMs();
    if (told.get(client) === nowMs) return;
    told.set(client, nowMs);
    // Sent before what its user sends. A connection that is lost fails his statement too.
    client.query(`SET parley.now = '${new Date(nowMs).toISOString()}'`).catch(() => undefined);
  });
}
