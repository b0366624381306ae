import { randomBytes } from 'node:crypto';

import { createPool } from '@parley/database';
import { migrate } from '@parley/database/migrate';
import type { Pool } from '@parley/database';
import { inject } from 'vitest';

/** The stores of a test run, which `global-setup.ts` provides to every test file. */
export type TestStores = {
  /** A superuser's connection to the maintenance database. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** A migrated database without connections, from which suites get clones. */
  readonly templateDatabase: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    parleyStores: TestStores;
  }
}

/** A database for one suite alone. */
export type TestDatabase = {
  readonly url: string;
  readonly name: string;
  /** Drops it, and cuts off its remaining connections. */
  readonly drop: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** The stores of this test run. Only in tests that vitest runs. */
export function getTestStores(): TestStores {
  return inject('parleyStores');
}

/** Returns the address of another database of the same server. */
export function withDatabase(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const connectTimeoutMs = 5_000;

async function runAsAdministrator(databaseUrl: string, text: string): Promise<void> {
  const pool = createPool({
    databaseUrl,
    applicationName: 'parley-test-kit',
    connectionsMax: 1,
    connectTimeoutMs,
    // A clone copies some hundred files, and several suites may clone at once.
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
  try {
    await pool.query(text);
  } finally {
    await pool.end();
  }
}

/** Creates an empty database in UTF-8 and the builtin C.UTF-8 locale, and migrates it. */
export async function createMigratedDatabase(
  administratorUrl: string,
  name = createDatabaseName(),
): Promise<TestDatabase> {
  await runAsAdministrator(
    administratorUrl,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'`,
  );
  const database = describeDatabase(administratorUrl, name);
  await migrate(database.url);
  return database;
}

/** Clones a database without connections. */
async function cloneDatabase(administratorUrl: string, template: string): Promise<TestDatabase> {
  const name = createDatabaseName();
  // The default strategy, which writes every page into the log, takes twice as long.
  await runAsAdministrator(
    administratorUrl,
    `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`,
  );
  return describeDatabase(administratorUrl, name);
}

/**
 * Gives a suite its own database, cloned from the template that was migrated once for the run.
 * `await using database = await createTestDatabase()` drops it at the end of the scope.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { databaseUrl, templateDatabase } = getTestStores();
  return cloneDatabase(databaseUrl, templateDatabase);
}

/** Opens a test's own connections to a database, by default one. Faults of idle ones are ignored. */
export function openTestPool(
  databaseUrl: string,
  connectionsMax = 1,
  options: {
    readonly statementTimeoutMs?: number;
    readonly idleInTransactionMaxMs?: number;
  } = {},
): Pool {
  return createPool({
    databaseUrl,
    applicationName: 'parley tests',
    connectionsMax,
    connectTimeoutMs,
    statementTimeoutMs: 15_000,
    onError: () => undefined,
    ...options,
  });
}

function createDatabaseName(): string {
  return `parley_test_${randomBytes(6).toString('hex')}`;
}

function describeDatabase(administratorUrl: string, name: string): TestDatabase {
  const drop = (): Promise<void> =>
    runAsAdministrator(administratorUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: withDatabase(administratorUrl, name), name, drop, [Symbol.asyncDispose]: drop };
}
