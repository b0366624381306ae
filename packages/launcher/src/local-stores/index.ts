export * from './free-port.ts';
export { findProcessIdentity } from './process-identity.ts';
export { removePostgresData } from './postgres-cluster.ts';
export * from './postgres.ts';
export * from './redis.ts';
export * from './redis-install.ts';
export * from './secret-file.ts';
export * from './store-fault.ts';
export type { RunningStore } from './store-process.ts';
export * from './temporary-folder.ts';
export {
  beginTestRun,
  diskFolder,
  findTestRun,
  isLeftByTestRun,
  removeLeftTestRuns,
  testFolderPrefix,
  testRunEnvironment,
} from './test-run.ts';
