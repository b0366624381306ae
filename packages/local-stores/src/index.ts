export { findFreePort, isPortFree } from './free-port.ts';
export { findProcessIdentity } from './process-identity.ts';
export { removePostgresData } from './postgres-cluster.ts';
export { startPostgres } from './postgres.ts';
export type { PostgresOptions } from './postgres.ts';
export { startRedis } from './redis.ts';
export type { RedisOptions, RedisTls } from './redis.ts';
export { findOrInstallRedis } from './redis-install.ts';
export { hasCode, readOrMakeSecret } from './secret-file.ts';
export { StoreFault } from './store-fault.ts';
export type { RunningStore } from './store-process.ts';
export { makeTemporaryFolder } from './temporary-folder.ts';
export {
  beginTestRun,
  diskFolder,
  findTestRun,
  isLeftByTestRun,
  removeLeftTestRuns,
  testFolderPrefix,
  testRunEnvironment,
} from './test-run.ts';
