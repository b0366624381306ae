import type { ServiceFrame } from './service-frame.ts';
import { ServiceLease } from '@parley/cluster/placement';

import { awaitStore } from './await-store.ts';
import { openPool } from './connect-stores.ts';
import type { Stores } from './connect-stores.ts';

/**
 * Takes a lease when the service listens, so that gateways find it, and gives it up first when the service drains.
 *
 * @param isCurrent called before each renewal; while it returns false the lease is not renewed
 */
export function keepLease(frame: ServiceFrame, stores: Stores, isCurrent?: () => boolean): void {
  // Renewed on a separate connection: if renewals waited for requests, a busy service would lose its lease when it is needed most.
  const database = openPool(frame, 'lease', 1);
  frame.onListening(async (address) => {
    const lease = new ServiceLease({
      clock: frame.clock,
      database,
      redis: stores.redis,
      keyPrefix: stores.keyPrefix,
      service: frame.config.service,
      nodeId: frame.config.nodeId,
      address: `${address.host}:${address.port}`,
      log: frame.log,
      ...(isCurrent === undefined ? {} : { isCurrent }),
    });
    await awaitStore(frame, 'Postgres', () => lease.start());
    frame.onDrain('lease', () => lease.end());
    frame.onSettle('lease', () => lease.settle());
  });
}
