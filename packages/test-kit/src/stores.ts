import { setTimeout as delay } from 'node:timers/promises';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunningStore } from '@parley/launcher/local-stores';

import { createStore, postgresConnectionsMax } from './test-store.ts';
import type { TestStore } from './test-store.ts';

/** The library that speaks to Docker takes a second to load, in each worker. */
const importContainers = (): Promise<typeof import('./container-stores.ts')> =>
  import('./container-stores.ts');

let usable: Promise<boolean> | undefined;

/** Whether there is a Docker engine that already has both images (tests never pull one), and stores may be containers. */
export function findDockerImages(): Promise<boolean> {
  usable ??= (async () => {
    if (process.env['PARLEY_TEST_STORES'] === 'embedded') return false;
    // A socket without a listener fails at once; a hanging engine must not delay the tests.
    const { hasImages } = await importContainers();
    if (!(await Promise.race([hasImages(), delay(5_000, false, { ref: false })]))) return false;
    // A run removes its containers itself, and those of runs that were killed.
    process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
    return true;
  })().catch(() => false);
  return usable;
}

async function startLocally(
  makeFolder: () => Promise<string>,
  start: (folder: string) => Promise<RunningStore>,
): Promise<TestStore> {
  const folder = await makeFolder();
  return createStore(
    async () => {
      const store = await start(join(folder, 'store'));
      return {
        url: store.url,
        kill: async () => {
          process.kill(store.pid, 'SIGKILL');
          await store.exited;
        },
        stop: store.stop,
      };
    },
    () => rm(folder, { recursive: true, force: true }),
  );
}

/**
 * Starts an empty Postgres: a container if a Docker engine has the image, otherwise the embedded one. A container, whose data is in memory,
 * cannot be started again.
 *
 * @returns a store whose `url` names the maintenance database, with a superuser
 */
export async function startTestPostgres(): Promise<TestStore> {
  return (await findDockerImages())
    ? (await importContainers()).startPostgresContainer()
    : startEmbeddedPostgres();
}

/** Starts an empty Postgres that can be killed and started again with its data: always the embedded one. */
export async function startEmbeddedPostgres(): Promise<TestStore> {
  const { makeTemporaryFolder, startPostgres } = await import('@parley/launcher/local-stores');
  return startLocally(makeTemporaryFolder, (dataDir) =>
    startPostgres({
      dataDir,
      log: () => undefined,
      settings: { max_connections: String(postgresConnectionsMax), fsync: 'off' },
    }),
  );
}

/** Starts an empty Redis: a container if a Docker engine has the image, otherwise a local redis-server. */
export async function startTestRedis(): Promise<TestStore> {
  if (await findDockerImages()) return (await importContainers()).startRedisContainer();
  const { makeTemporaryFolder, startRedis } = await import('@parley/launcher/local-stores');
  return startLocally(makeTemporaryFolder, (dir) => startRedis({ dir, log: () => undefined }));
}
