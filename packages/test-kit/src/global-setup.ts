import { findTestRun, isLeftByTestRun } from '@parley/launcher/local-stores';
import type { TestProject } from 'vitest/node';

import { dropLeftDatabases } from './administration.ts';
import { createMigratedDatabase } from './test-database.ts';
import { removeStoreContainers } from './store-containers.ts';
import { findDockerImages, startTestPostgres, startTestRedis } from './stores.ts';
import type { TestStore } from './test-store.ts';

/**
 * Runs once for a test run: starts Postgres and Redis, migrates the template database, and provides the addresses to all test files.
 * `PARLEY_TEST_DATABASE_URL` (of a superuser) and `PARLEY_TEST_REDIS_URL` name running stores to use instead.
 *
 * @returns a function that stops them after the last test
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const givenDatabaseUrl = process.env['PARLEY_TEST_DATABASE_URL'];
  if (givenDatabaseUrl !== undefined) await dropLeftDatabases(givenDatabaseUrl);
  if (await findDockerImages()) {
    removeStoreContainers(isLeftByTestRun);
    const ownRun = findTestRun();
    process.once('exit', () => removeStoreContainers((run) => run === ownRun));
  }
  const started: TestStore[] = [];
  const use = async (url: string | undefined, start: () => Promise<TestStore>): Promise<string> => {
    if (url !== undefined) return url;
    const store = await start();
    started.push(store);
    return store.url;
  };
  const stopAll = async (): Promise<void> => {
    await Promise.all(started.map((store) => store.stop()));
  };
  const outcomes = await Promise.allSettled([
    use(givenDatabaseUrl, startTestPostgres),
    use(process.env['PARLEY_TEST_REDIS_URL'], startTestRedis),
  ]);
  try {
    const [databaseUrl, redisUrl] = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }) as [string, string];
    const template = await createMigratedDatabase(databaseUrl);
    project.provide('parleyStores', { databaseUrl, redisUrl, templateDatabase: template.name });
    return async () => {
      try {
        // A server that was started for this run is removed with its databases.
        if (givenDatabaseUrl !== undefined) await template.drop();
      } finally {
        await stopAll();
      }
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
