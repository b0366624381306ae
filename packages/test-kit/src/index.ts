export { serviceNames } from '@parley/config';
export type { ServiceName } from '@parley/config';

export * from './answer-checks.ts';
export * from './answer-document.ts';
export * from './api-client.ts';
export * from './cluster.ts';
export * from './delivery-ledger.ts';
export * from './fault-proxy.ts';
export * from './queue-follower.ts';
export * from './redis-prefix.ts';
export * from './repository-folder.ts';
export * from './service-process.ts';
export * from './stores.ts';
export * from './test-database.ts';
export * from './test-organization.ts';
export * from './wait-until.ts';
