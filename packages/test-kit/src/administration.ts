/** What a superuser does for the databases of tests. */
import { randomBytes } from 'node:crypto';

import { systemClock } from '@parley/clock';
import { createPool } from '@parley/database';
import type { Pool } from '@parley/database';
import { findTestRun, isLeftByTestRun } from '@parley/launcher/local-stores';

export const connectTimeoutMs = 5_000;

const namePrefix = 'parley_test_';

/** A name with that of this run of tests. */
export function createDatabaseName(): string {
  const random = randomBytes(6).toString('hex');
  return namePrefix + [findTestRun(), random].filter((part) => part !== undefined).join('_');
}

function connect(databaseUrl: string): Pool {
  return createPool({
    databaseUrl,
    clock: systemClock,
    applicationName: 'parley-test-kit',
    connectionsMax: 1,
    connectTimeoutMs,
    // A clone copies some hundred files, and several suites may clone at once.
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
}

/** Runs a statement of a superuser. */
export async function runAsAdministrator(databaseUrl: string, text: string): Promise<void> {
  const pool = connect(databaseUrl);
  try {
    await pool.query(text);
  } finally {
    await pool.end();
  }
}

/** Drops the databases of interrupted runs, on a server that goes on after them. */
export async function dropLeftDatabases(databaseUrl: string): Promise<void> {
  const pool = connect(databaseUrl);
  try {
    const { rows } = await pool.query<{ name: string }>('SELECT datname AS name FROM pg_database');
    for (const { name } of rows) {
      if (name.startsWith(namePrefix) && isLeftByTestRun(name.slice(namePrefix.length)))
        await pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }
  } finally {
    await pool.end();
  }
}
