export type { Stores } from './connect-stores.ts';
export { connectStores, openPool } from './connect-stores.ts';
export { keepLease } from './keep-lease.ts';
export { registerStoreMetrics } from './store-metrics.ts';
