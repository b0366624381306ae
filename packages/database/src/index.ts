export { BatchedReads } from './batched-reads.ts';
export * from './snapshot-reads.ts';
export * from './caller-reads.ts';
export { CommitGate, commitThroughGate } from './commit-gate.ts';
export { TooManyValues } from './check-statements.ts';
export type { Client, Pool } from './pool.ts';
export * from './queryable.ts';
export { createPool, isStatementTimeout, snapshot, transaction } from './pool.ts';
export { readFunctions } from './sql-files.ts';
export {
  checkSchemaVersion,
  codeSchemaVersion,
  readSchemaVersion,
  UnusableSchema,
} from './schema-version.ts';
export * from './timely-reads.ts';
export * from './run-together.ts';
export * from './undone.ts';
export * from './unique-violation.ts';
