export { BatchedReads } from './batched-reads.ts';
export { SnapshotReads } from './snapshot-reads.ts';
export { CallerLeft, CallerReads } from './caller-reads.ts';
export { CommitGate, commitThroughGate } from './commit-gate.ts';
export { TooManyValues } from './check-statements.ts';
export type { Client, Pool } from './pool.ts';
export type { Queryable, Statement } from './queryable.ts';
export { createPool, isStatementTimeout, snapshot, transaction } from './pool.ts';
export { readFunctions } from './sql-files.ts';
export {
  checkSchemaVersion,
  codeSchemaVersion,
  readSchemaVersion,
  UnusableSchema,
} from './schema-version.ts';
export { TimelyReads } from './timely-reads.ts';
export { runTogether, transactionTogether } from './run-together.ts';
export { isUndone } from './undone.ts';
export { isUniqueViolation } from './unique-violation.ts';
