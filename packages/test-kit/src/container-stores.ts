/** Postgres and Redis in containers, for tests. Loaded only where there is a Docker engine, because of what it imports. */
import { randomBytes } from 'node:crypto';

import { GenericContainer, ImageName, Wait, getContainerRuntimeClient } from 'testcontainers';
import type { StartedTestContainer } from 'testcontainers';

import { storeLabels } from './store-containers.ts';
import { createStore, postgresConnectionsMax } from './test-store.ts';
import type { TestStore } from './test-store.ts';

const postgresImage = 'postgres:17';
const redisImage = 'redis:7';
const postgresPort = 5432;
const redisPort = 6379;
const startupTimeoutMs = 180_000;

/** Whether there is an engine, and it has both images. */
export async function hasImages(): Promise<boolean> {
  const client = await getContainerRuntimeClient().catch(() => undefined);
  if (client === undefined) return false;
  const exists = (name: string): Promise<boolean> =>
    client.image.exists(ImageName.fromString(name));
  return (await exists(postgresImage)) && exists(redisImage);
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

export function startPostgresContainer(): Promise<TestStore> {
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

export function startRedisContainer(): Promise<TestStore> {
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
