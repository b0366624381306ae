import { systemClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { createPool } from '@parley/database';
import { migrate } from '@parley/database/migrate';
import type { Pool } from '@parley/database';
import { inject } from 'vitest';

import { connectTimeoutMs, createDatabaseName, runAsAdministrator } from './administration.ts';

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

/** By the address of a database, the time of the system that uses it. */
const clocks = new Map<string, Clock>();

/** Gives the connections that tests open to a database the time of its system, so that they agree about what is past. */
export function keepTimeOf(databaseUrl: string, clock: Clock): void {
  clocks.set(databaseUrl, clock);
}

/**
 * Opens a test's own connections to a database, by default one, with the time of its system. Faults of idle ones are ignored, and a transaction
 * may be idle while a test does something else.
 */
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
    clock: clocks.get(databaseUrl) ?? systemClock,
    applicationName: 'parley tests',
    connectionsMax,
    connectTimeoutMs,
    statementTimeoutMs: 15_000,
    idleInTransactionMaxMs: 0,
    onError: () => undefined,
    ...options,
  });
}

function describeDatabase(administratorUrl: string, name: string): TestDatabase {
  const drop = (): Promise<void> =>
    runAsAdministrator(administratorUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  return { url: withDatabase(administratorUrl, name), name, drop, [Symbol.asyncDispose]: drop };
}
