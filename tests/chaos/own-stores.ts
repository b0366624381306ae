/** A run's own Postgres and Redis, on fixed ports, so that they can be stopped and restarted while the system runs. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import {
  findFreePort,
  makeTemporaryFolder,
  startPostgres,
  startRedis,
} from '@parley/launcher/local-stores';
import type { RunningStore } from '@parley/launcher/local-stores';

/** A store that can be stopped and restarted. */
export class OwnStore {
  #running: RunningStore;
  readonly #start: () => Promise<RunningStore>;

  private constructor(start: () => Promise<RunningStore>, running: RunningStore) {
    this.#start = start;
    this.#running = running;
  }

  static async start(start: () => Promise<RunningStore>): Promise<OwnStore> {
    return new OwnStore(start, await start());
  }

  get url(): string {
    return this.#running.url;
  }

  /** Sends a signal that ends it, and waits until it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    process.kill(this.#running.pid, signal);
    await this.#running.exited;
  }

  /** Starts it again after `end`, at the same address. */
  async startAgain(): Promise<void> {
    this.#running = await this.#start();
  }

  async stop(): Promise<void> {
    await this.#running.stop();
  }
}

export type OwnStores = {
  readonly postgres: OwnStore;
  readonly redis: OwnStore;
  /** Removes the data of Redis on disk; only after `end`. */
  readonly wipeRedis: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Starts both, empty. Postgres does not wait for the disk: its data survives the end of its processes, and a run does no more to it. */
export async function startOwnStores(): Promise<OwnStores> {
  const disposal = new AsyncDisposableStack();
  const folder = await makeTemporaryFolder();
  disposal.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    const postgresPort = await findFreePort();
    const postgres = await OwnStore.start(() =>
      startPostgres({
        dataDir: join(folder, 'postgres'),
        port: postgresPort,
        log: () => undefined,
        settings: { max_connections: '300', fsync: 'off' },
      }),
    );
    disposal.defer(() => postgres.stop());
    const redisPort = await findFreePort();
    const redisData = join(folder, `redis-data-${randomBytes(4).toString('hex')}`);
    const redis = await OwnStore.start(async () => {
      await mkdir(redisData, { recursive: true });
      return startRedis({
        dir: join(folder, 'redis'),
        port: redisPort,
        log: () => undefined,
        settings: { dir: redisData, appendonly: 'yes' },
      });
    });
    disposal.defer(() => redis.stop());
    return {
      postgres,
      redis,
      wipeRedis: () => rm(redisData, { recursive: true, force: true }),
      stop: () => disposal.disposeAsync(),
    };
  } catch (error) {
    await disposal.disposeAsync();
    throw error;
  }
}
