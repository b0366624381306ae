export * from './live-node.ts';
export * from './holders-of-queue.ts';
export type { LeaseState } from './live-services.ts';
export { listLiveServices } from './leases-table.ts';
export { LiveServices } from './live-services.ts';
export { ServiceLease } from './service-lease.ts';
export * from './lease-hint.ts';
