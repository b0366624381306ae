/**
 * The system of a run: real processes on the run's own stores. Each process connects to Postgres and Redis through its own
 * proxies, and is reached through a proxy. A process that ends is restarted, as by an orchestrator.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { findFreePort } from '@parley/launcher/local-stores';
import {
  FaultProxy,
  createMigratedDatabase,
  createRedisPrefix,
  startCluster,
} from '@parley/test-kit';
import type { Cluster, NodeKind, ServiceName, ServiceProcess } from '@parley/test-kit';

import { startOwnStores } from './own-stores.ts';
import type { OwnStores } from './own-stores.ts';

const processCounts: Readonly<Partial<Record<NodeKind, number>>> = {
  gateway: 2,
  events: 3,
  messages: 2,
  subscriptions: 2,
  people: 1,
  presence: 1,
};

/** Of processes that run all services. */
const processesTogether = 2;

/**
 * Processes listen on 127.0.0.1 but announce the same port of this address, where a proxy listens. So traffic between gateways
 * and services can be dropped too.
 */
const proxiedHost = '127.0.0.2';
const startAttemptsMax = 20;
const startPauseMs = 300;
const warningsShownMax = 30;

/** The place of a process: processes are replaced, but the proxies to the stores stay. */
export class Slot {
  readonly service: NodeKind;
  readonly postgres: FaultProxy;
  readonly redis: FaultProxy;
  /** For a process with a gateway: where its clients connect. */
  readonly front: FaultProxy | undefined;
  /** Where the other processes connect. */
  reached: FaultProxy | undefined;
  process: ServiceProcess | undefined;
  /** Only one fault at a time. */
  isInFault = false;

  constructor(
    service: NodeKind,
    proxies: {
      readonly postgres: FaultProxy;
      readonly redis: FaultProxy;
      readonly front: FaultProxy | undefined;
    },
  ) {
    this.service = service;
    this.postgres = proxies.postgres;
    this.redis = proxies.redis;
    this.front = proxies.front;
  }
}

export class ChaosSystem {
  readonly stores: OwnStores;
  readonly cluster: Cluster<ServiceProcess>;
  readonly slots: Slot[] = [];
  readonly #databaseUrl: string;
  readonly #disposal: AsyncDisposableStack;

  private constructor(
    stores: OwnStores,
    cluster: Cluster<ServiceProcess>,
    databaseUrl: string,
    disposal: AsyncDisposableStack,
  ) {
    this.stores = stores;
    this.cluster = cluster;
    this.#databaseUrl = databaseUrl;
    this.#disposal = disposal;
  }

  /** @param isTogether whether there are two processes with all services, in place of separate ones */
  static async start(isTogether: boolean): Promise<ChaosSystem> {
    const disposal = new AsyncDisposableStack();
    try {
      const stores = await startOwnStores();
      disposal.defer(() => stores.stop());
      const database = await createMigratedDatabase(stores.postgres.url);
      const cluster = await startCluster({
        gateways: 0,
        events: 0,
        messages: 0,
        subscriptions: 0,
        people: 0,
        presence: 0,
        databaseUrl: database.url,
        redisUrl: stores.redis.url,
        redisPrefix: createRedisPrefix(),
        environment: {
          PARLEY_MODE: 'production',
          // Together, each service listens on a port of its own choice, where no proxy can stand.
          PARLEY_ADVERTISED_HOST: isTogether ? '127.0.0.1' : proxiedHost,
        },
      });
      const system = new ChaosSystem(stores, cluster, database.url, disposal);
      try {
        await system.#startAll(isTogether ? { together: processesTogether } : processCounts);
      } catch (error) {
        await cluster.stop().catch(() => undefined);
        throw error;
      }
      return system;
    } catch (error) {
      await disposal.disposeAsync();
      throw error;
    }
  }

  /** The addresses for clients, which stay the same while gateways are replaced. */
  get urls(): readonly string[] {
    return this.slots.flatMap(({ front }) =>
      front === undefined ? [] : [`http://127.0.0.1:${front.port}`],
    );
  }

  slotsOf(service: ServiceName): readonly Slot[] {
    return this.slots.filter((slot) => [service, 'together'].includes(slot.service));
  }

  /** Starts a process for the slot, while an earlier one may still run. Any failure to start may be temporary, so it is retried. */
  async startProcess(slot: Slot): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const port = await findFreePort();
      let reached: FaultProxy | undefined;
      try {
        const target = `http://127.0.0.1:${port}`;
        const proxy = await FaultProxy.start(target, { host: proxiedHost, port });
        reached = proxy;
        const started = await this.cluster.startAnother(slot.service, {
          DATABASE_URL: slot.postgres.through(this.#databaseUrl),
          REDIS_URL: slot.redis.through(this.stores.redis.url),
          PARLEY_PORT: String(port),
        });
        void started.exited.then(() => proxy.stop());
        slot.front?.retarget(started.url);
        slot.reached = proxy;
        slot.process = started;
        return;
      } catch (error) {
        await reached?.stop();
        if (attempt === startAttemptsMax) throw error;
        await pause(startPauseMs);
      }
    }
  }

  /** @returns the recent warnings of the running processes with their counts, the most frequent first, without newlines */
  describeWarnings(): string {
    const counts = new Map<string, number>();
    for (const { service, process } of this.slots) {
      for (const line of process?.output ?? []) {
        const warning = readWarning(line);
        if (warning === undefined) continue;
        const what = `${service}: ${warning}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }
    }
    return [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, warningsShownMax)
      .map(([what, count]) => `  ${String(count).padStart(6)} ${what}`)
      .join('\n');
  }

  /** @throws AggregateError naming each process that ended by itself or did not stop cleanly */
  async stopProcesses(): Promise<void> {
    await this.cluster.stop();
  }

  /** Ends the stores and proxies; after `stopProcesses`. */
  async stop(): Promise<void> {
    await this.#disposal.disposeAsync();
  }

  async #startAll(counts: typeof processCounts): Promise<void> {
    const { stores } = this;
    const open = async (url: string): Promise<FaultProxy> =>
      this.#disposal.use(await FaultProxy.start(url));
    for (const [service, count] of Object.entries(counts) as [NodeKind, number][]) {
      for (let index = 0; index < count; index += 1) {
        this.slots.push(
          new Slot(service, {
            postgres: await open(stores.postgres.url),
            redis: await open(stores.redis.url),
            front: ['gateway', 'together'].includes(service)
              ? await open('http://127.0.0.1:1')
              : undefined,
          }),
        );
      }
    }
    await Promise.all(this.slots.map((slot) => this.startProcess(slot)));
  }
}

const warningLevels: ReadonlySet<unknown> = new Set(['warn', 'error', 'fatal']);

/** @returns the text of a line that a process logged as a warning or worse, with its error */
function readWarning(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const { level, msg, err } = JSON.parse(line) as {
    readonly level?: string;
    readonly msg?: string;
    readonly err?: { readonly message?: string };
  };
  return warningLevels.has(level) ? `${msg} (${err?.message ?? 'no error'})` : undefined;
}
