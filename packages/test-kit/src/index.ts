export { serviceNames } from '@parley/config';
export type { ServiceName } from '@parley/config';

export { checkAnswer, isJsonObject, readObjects } from './answer-checks.ts';
export type { JsonObject } from './answer-checks.ts';
export { answerDocument, namedMethodIn } from './answer-document.ts';
export { ApiClient, RefusedRequest } from './api-client.ts';
export type { Answer, Method, Parameters } from './api-client.ts';
export { Cluster, settle, startCluster, startLocalCluster, startSystem } from './cluster.ts';
export type { ClusterOptions, ClusterSettings, SystemOptions } from './cluster.ts';
export { DeliveryLedger, QueueRecord } from './delivery-ledger.ts';
export { FaultProxy } from './fault-proxy.ts';
export type { HeldBytes } from './fault-proxy.ts';
export { fittingPath } from './fitting-path.ts';
export { QueueFollower } from './queue-follower.ts';
export { createRedisPrefix } from './redis-prefix.ts';
export { repositoryFolder } from './repository-folder.ts';
export type { NodeKind, ServiceNode } from './service-node.ts';
export { sharedMailFolder, useSystem } from './shared-system.ts';
export type { SystemUse, UsedSystem } from './shared-system.ts';
export { ServiceProcess, processOf } from './service-process.ts';
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
export { untilAvailable } from './until-available.ts';
export { waitMaxMs, waitUntil } from './wait-until.ts';
