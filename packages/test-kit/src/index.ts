export { serviceNames } from '@parley/config';
export type { ServiceName } from '@parley/config';

export { checkAnswer, isJsonObject, readObjects } from './answer-checks.ts';
export type { JsonObject } from './answer-checks.ts';
export { answerDocument, namedMethodIn } from './answer-document.ts';
export { ApiClient, RefusedRequest } from './api-client.ts';
export type { Answer, Method, Parameters } from './api-client.ts';
export * from './cluster.ts';
export * from './delivery-ledger.ts';
export { FaultProxy } from './fault-proxy.ts';
export type { HeldBytes } from './fault-proxy.ts';
export * from './fitting-path.ts';
export * from './queue-follower.ts';
export * from './redis-prefix.ts';
export * from './repository-folder.ts';
export type { NodeKind, ServiceNode } from './service-node.ts';
export * from './shared-system.ts';
export * from './service-process.ts';
export { startEmbeddedPostgres, startTestPostgres, startTestRedis } from './stores.ts';
export type { TestStore } from './test-store.ts';
export {
  createMigratedDatabase,
  createTestDatabase,
  getTestStores,
  openTestPool,
} from './test-database.ts';
export type { TestDatabase } from './test-database.ts';
export { TestOrganization, makeOrganization } from './test-organization.ts';
export type { TestAccount } from './test-organization.ts';
export * from './until-available.ts';
export * from './wait-until.ts';
export { isWatched } from './watched-ports.ts';
