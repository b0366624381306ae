export { BatchedReads } from './batched-reads.ts';
export { SharedReads } from './shared-reads.ts';
export type { Client, Pool, Queryable, Statement } from './pool.ts';
export { createPool, isStatementTimeout, transaction } from './pool.ts';
export { migrate } from './migrate.ts';
export {
  checkSchemaVersion,
  codeSchemaVersion,
  oldestUsableSchemaVersion,
  readSchemaVersion,
  UnusableSchema,
} from './schema-version.ts';
export { isUniqueViolation } from './unique-violation.ts';
