import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunningStore } from '@parley/local-stores';
import { GenericContainer, ImageName, Wait, getContainerRuntimeClient } from 'testcontainers';
import type { StartedTestContainer } from 'testcontainers';

import { storeLabels } from './store-containers.ts';

/** A Postgres or Redis that runs for tests. */
export type TestStore = {
  /** The current address: another port after each `startAgain`, the same credentials. */
  readonly url: string;
  /** Ends its process at once, as in a crash. Redis loses its data. */
  readonly kill: () => Promise<void>;
  /** Starts it again after `kill`, with an empty Redis. */
  readonly startAgain: () => Promise<void>;
  /** Ends it and removes its data. */
  readonly stop: () => Promise<void>;
};

const postgresImage = 'postgres:17';
const redisImage = 'redis:7';
const postgresPort = 5432;
const redisPort = 6379;
// A cluster of a dozen processes beside other suites, each with a pool of five.
const postgresConnectionsMax = 400;
const startupTimeoutMs = 180_000;

let usable: Promise<boolean> | undefined;

/** Whether there is a Docker engine that already has both images (tests never pull one), and stores may be containers. */
export function findDockerImages(): Promise<boolean> {
  usable ??= (async () => {
    if (process.env['PARLEY_TEST_STORES'] === 'embedded') return false;
    // A socket without a listener fails at once; a hanging engine must not delay the tests.
    const findClient = getContainerRuntimeClient().catch(() => undefined);
    const client = await Promise.race([findClient, delay(5_000, undefined, { ref: false })]);
    if (client === undefined) return false;
    const exists = (name: string): Promise<boolean> =>
      client.image.exists(ImageName.fromString(name));
    if (!(await exists(postgresImage)) || !(await exists(redisImage))) return false;
    // A run removes its containers itself, and those of runs that were killed.
    process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
    return true;
  })().catch(() => false);
  return usable;
}

/** The properties of one run of a store. */
type Run = {
  readonly url: string;
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A store over its runs; `start` begins each of them, and `clean` removes their data. */
async function createStore(
  start: () => Promise<Run>,
  clean: () => Promise<void>,
): Promise<TestStore> {
  let run: Run;
  try {
    run = await start();
  } catch (error) {
    await clean();
    throw error;
  }
  let runs = true;
  return {
    get url() {
      return run.url;
    },
    kill: async () => {
      runs = false;
      await run.kill();
    },
    startAgain: async () => {
      run = await start();
      runs = true;
    },
    stop: async () => {
      try {
        if (runs) await run.stop();
      } finally {
        await clean();
      }
    },
  };
}

/** Publishes its ports only on this machine's loopback address, where the servers under test are. */
class LoopbackContainer extends GenericContainer {
  protected override beforeContainerCreated(): Promise<void> {
    const bindings = (this.hostConfig.PortBindings ?? {}) as Record<string, { HostPort: string }[]>;
    this.hostConfig.PortBindings = Object.fromEntries(
      Object.entries(bindings).map(([port, hosts]) => [
        port,
        hosts.map((host) => ({ ...host, HostIp: '127.0.0.1' })),
      ]),
    );
    return Promise.resolve();
  }
}

async function startContainer(
  container: GenericContainer,
  describeUrl: (started: StartedTestContainer) => string,
): Promise<TestStore> {
  const started: StartedTestContainer[] = [];
  return createStore(
    async () => {
      const running = await container.withLabels(storeLabels()).start();
      started.push(running);
      return {
        url: describeUrl(running),
        kill: async () => {
          await running.stop({ timeout: 0, remove: true, removeVolumes: true });
          started.splice(started.indexOf(running), 1);
        },
        stop: () => Promise.resolve(),
      };
    },
    async () => {
      await Promise.all(
        started.map((running) => running.stop({ timeout: 0, remove: true, removeVolumes: true })),
      );
    },
  );
}

function startPostgresContainer(): Promise<TestStore> {
  const password = randomBytes(24).toString('hex');
  const container = new LoopbackContainer(postgresImage)
    .withEnvironment({
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--locale-provider=builtin --builtin-locale=C.UTF-8 --encoding=UTF8',
    })
    // The data is in memory and disappears with the container.
    .withStartupTimeout(startupTimeoutMs)
    .withTmpFs({ '/var/lib/postgresql/data': 'rw' })
    .withCommand(['postgres', '-c', `max_connections=${postgresConnectionsMax}`])
    .withExposedPorts(postgresPort)
    // The image starts a first server for its own set-up.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2));
  return startContainer(
    container,
    (started) =>
      `postgres://postgres:${password}@127.0.0.1:${started.getMappedPort(postgresPort)}/postgres`,
  );
}

function startRedisContainer(): Promise<TestStore> {
  const password = randomBytes(24).toString('hex');
  const container = new LoopbackContainer(redisImage)
    .withStartupTimeout(startupTimeoutMs)
    .withCommand(['redis-server', '--save', '', '--appendonly', 'no', '--requirepass', password])
    .withExposedPorts(redisPort)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/));
  return startContainer(
    container,
    (started) => `redis://:${password}@127.0.0.1:${started.getMappedPort(redisPort)}`,
  );
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
  return (await findDockerImages()) ? startPostgresContainer() : startEmbeddedPostgres();
}

/** Starts an empty Postgres that can be killed and started again with its data: always the embedded one. */
export async function startEmbeddedPostgres(): Promise<TestStore> {
  const { makeTemporaryFolder, startPostgres } = await import('@parley/local-stores');
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
  if (await findDockerImages()) return startRedisContainer();
  const { makeTemporaryFolder, startRedis } = await import('@parley/local-stores');
  return startLocally(makeTemporaryFolder, (dir) => startRedis({ dir, log: () => undefined }));
}
