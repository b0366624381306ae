import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { MovedClock, systemClock } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { serviceNames } from '@parley/config';
import type { ServiceName } from '@parley/config';
import type { LocalNodes } from '@parley/server';

import { createRedisPrefix } from './redis-prefix.ts';
import { LocalService } from './local-service.ts';
import type { NodeEnd, NodeKind, ServiceNode, StartNode } from './service-node.ts';
import { ServiceProcess } from './service-process.ts';
import { createTestDatabase, getTestStores, keepTimeOf } from './test-database.ts';

/** Far beyond what any machine needs; a system that never settles is named long before its test would be ended. */
const settleMaxMs = 60_000;

const stepMinMs = 1_000;
const stepsMax = 100;

export type ClusterOptions = {
  /** How many processes with all services (default: none). */
  readonly together?: number;
  /** How many processes of each service (default: one of each, or none if there are others with all). A service with 0 is not started. */
  readonly events?: number;
  readonly messages?: number;
  readonly subscriptions?: number;
  readonly people?: number;
  readonly presence?: number;
  readonly gateways?: number;
  /** A migrated database; by default one is created, and dropped with the cluster. */
  readonly databaseUrl?: string;
  /** By default the Redis of the test run. */
  readonly redisUrl?: string;
  /** Certificates of the authority of that Redis, if Node does not know it. */
  readonly redisCaFile?: string | undefined;
  readonly redisPrefix?: string;
  /**
   * Whether services compare their answers with their declarations, and gateways with the OpenAPI document (default). A deviation makes the
   * stop fail. Off in measurements of speed.
   */
  readonly checkAnswers?: boolean;
  /**
   * In this process time stands until the test moves it (default), or flows where the test waits for what takes real time. Separate
   * processes have the time of the machine.
   */
  readonly time?: 'flows' | 'stands';
  /** A folder for each process's log as a file, if reading the logs would affect a measurement. */
  readonly logFolder?: string | undefined;
  /** Variables for every process, with priority over the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables for the processes of one service, with priority over all others. */
  readonly serviceEnvironment?: Readonly<
    Partial<Record<ServiceName, Readonly<Record<string, string>>>>
  >;
};

/** The parts that every process of a cluster shares. */
export type ClusterSettings = {
  /** The time of all nodes: the machine's for separate processes, else a {@link MovedClock}. */
  readonly clock: Clock;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisCaFile?: string | undefined;
  /** The contents of that file. */
  readonly redisCa?: string | undefined;
  readonly redisPrefix: string;
  /** The secret under which API keys are hashed and encrypted, for tests that create accounts. */
  readonly keySecret: string;
  readonly internalSecret: string;
  /** The folder of uploaded files. */
  readonly uploadsDir: string;
};

/** How a fixture for many tests starts its system. */
export type SystemOptions = ClusterOptions & {
  /** Whether each node is a separate process ({@link startCluster}) or runs in the test's process. */
  readonly ownProcesses?: boolean;
};

/** The running systems of this process. */
const localSystems = new Set<Cluster>();

/** A running system on free ports: of real service processes, or of nodes in this process. */
export class Cluster<Node extends ServiceNode = ServiceNode> {
  readonly settings: ClusterSettings;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #serviceEnvironment: NonNullable<ClusterOptions['serviceEnvironment']>;
  readonly #start: StartNode<Node>;
  readonly #processes: Node[] = [];
  readonly #release: () => Promise<void>;
  readonly #checksAnswers: boolean;
  readonly #logFolder: string | undefined;
  #stopped = false;

  /** Created by {@link startCluster} and {@link startLocalCluster} only. */
  constructor(
    settings: ClusterSettings,
    options: ClusterOptions,
    start: StartNode<Node>,
    release: () => Promise<void>,
  ) {
    this.settings = settings;
    this.#start = start;
    this.#release = release;
    this.#checksAnswers = options.checkAnswers ?? true;
    this.#logFolder = options.logFolder;
    this.#serviceEnvironment = options.serviceEnvironment ?? {};
    this.#environment = {
      PARLEY_MODE: 'development',
      // Whatever was built; a test of the web client names the folder.
      PARLEY_WEB_DIR: '/nowhere',
      NODE_ENV: 'production',
      DATABASE_URL: settings.databaseUrl,
      REDIS_URL: settings.redisUrl,
      PARLEY_REDIS_PREFIX: settings.redisPrefix,
      PARLEY_REDIS_CA_FILE: settings.redisCaFile ?? '',
      PARLEY_HOST: '127.0.0.1',
      PARLEY_PORT: '0',
      PARLEY_INTERNAL_PORT: '0',
      PARLEY_INTERNAL_SECRET: settings.internalSecret,
      PARLEY_KEY_SECRET: settings.keySecret,
      PARLEY_RATE_LIMITS: 'off',
      PARLEY_CHECK_ANSWERS: this.#checksAnswers ? 'on' : 'off',
      PARLEY_UPLOADS_DIR: settings.uploadsDir,
      PARLEY_DATABASE_POOL_MAX: '5',
      // A dozen processes that start at once on a busy machine may wait longer than the three seconds of production.
      PARLEY_DATABASE_CONNECT_TIMEOUT_SECS: '10',
      ...options.environment,
    };
  }

  /** The first gateway's base address, without `/api/v1`. */
  get url(): string {
    return this.getProcess('gateway', 0).url;
  }

  /** The base addresses of all running gateways. */
  get gatewayUrls(): readonly string[] {
    return this.findProcesses('gateway').map((gateway) => gateway.url);
  }

  /** All that run, oldest first. */
  get processes(): readonly Node[] {
    return this.#processes.filter(({ end }) => end === undefined);
  }

  /** The running processes of a service, oldest first, also those with all services. */
  findProcesses(service: NodeKind): readonly Node[] {
    return this.processes.filter((running) => [service, 'together'].includes(running.service));
  }

  /** @throws Error if the service has no such process; `index` counts the running ones, from 0 */
  getProcess(service: NodeKind, index: number): Node {
    const found = this.findProcesses(service)[index];
    if (found === undefined) throw new Error(`no process ${index} of ${service} runs`);
    return found;
  }

  /**
   * Waits until everything has happened that earlier requests and the time cause: no request is open but held polls and streams, every node
   * has read the log to its end, and no job is due.
   *
   * @throws Error with the names of what does not come to an end
   */
  async settle(): Promise<void> {
    const giveUpAtMs = systemClock.elapsedMs() + settleMaxMs;
    // What one node does last may be something to do for another, so all have to be asked once more.
    for (let quietRounds = 0; quietRounds < 2;) {
      const running = this.#processes.filter((candidate) => candidate.end === undefined);
      const busy = (await Promise.all(running.map(async (node) => node.settle()))).flat();
      quietRounds = busy.length === 0 ? quietRounds + 1 : 0;
      if (quietRounds === 0 && systemClock.elapsedMs() > giveUpAtMs)
        throw new Error(`the system does not settle: ${[...new Set(busy)].join(', ')}`);
      await nextTurn();
    }
  }

  /**
   * Moves the time of all nodes in steps of a second, or of a hundredth of a longer time, and lets the system settle after each.
   *
   * @throws Error if the nodes have the time of the machine
   */
  async advance(ms: number): Promise<void> {
    const { clock } = this.settings;
    if (!(clock instanceof MovedClock)) throw new Error('the time of the machine cannot be moved');
    const stepMs = Math.max(stepMinMs, ms / stepsMax);
    await this.settle();
    for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
      await clock.leap(Math.min(stepMs, leftMs));
      await this.settle();
    }
  }

  /** Ends a process and waits for its end; `index` counts the running ones, from 0. */
  async kill(
    service: NodeKind,
    index: number,
    signal: NodeJS.Signals = 'SIGKILL',
  ): Promise<NodeEnd> {
    const restore = this.#letTimeFlow();
    try {
      return await this.getProcess(service, index).kill(signal);
    } finally {
      restore();
    }
  }

  /** Starts one more process of a service and waits until it is ready. */
  async startAnother(
    service: NodeKind,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Node> {
    const nodeId = `${service}-${randomBytes(4).toString('hex')}`;
    const started = await this.#start(
      service,
      nodeId,
      {
        ...this.#environment,
        PARLEY_NODE_ID: nodeId,
        ...(service === 'together' ? {} : this.#serviceEnvironment[service]),
        ...environment,
      },
      {
        clock: this.settings.clock,
        watchAnswers: this.#checksAnswers,
        logFile: this.#logFolder === undefined ? undefined : join(this.#logFolder, `${nodeId}.log`),
      },
    );
    this.#processes.push(started);
    return started;
  }

  /**
   * Stops every process in good order, and drops the database and prefix that the cluster created for itself.
   *
   * @throws AggregateError with the output of each process that had ended by itself, did not stop in time or did not end with code 0, and
   *   with each answer that deviates from its declaration
   */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    localSystems.delete(this);
    this.#letTimeFlow();
    const faults: Error[] = this.#processes
      .filter((ended) => ended.endedByItself)
      .map(
        (ended) =>
          new Error(
            `${ended.describe()} ended by itself: ${JSON.stringify(ended.end)}\n${ended.describeOutput()}`,
          ),
      );
    const running = this.#processes.filter((candidate) => candidate.end === undefined);
    // The gateways first: if a service stopped before them, they would only look for it.
    for (const part of [
      running.filter((candidate) => candidate.service === 'gateway'),
      running.filter((candidate) => candidate.service !== 'gateway'),
    ]) {
      const outcomes = await Promise.allSettled(
        part.map(async (stopping) => {
          const end = await stopping.kill('SIGTERM');
          if (end.code !== 0)
            throw new Error(
              `${stopping.describe()} ended with ${JSON.stringify(end)} when asked to stop\n${stopping.describeOutput()}`,
            );
        }),
      );
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') faults.push(outcome.reason as Error);
    }
    faults.push(...this.#findAnswerFaults());
    if (this.settings.clock instanceof MovedClock) this.settings.clock.stand();
    try {
      await this.#release();
    } catch (error) {
      faults.push(error as Error);
    }
    if (faults.length > 0)
      throw new AggregateError(faults, faults.map((fault) => fault.message).join('\n\n'));
  }

  /** A node that stops answers its polls over some time, and waits for others no longer than a limit. */
  #letTimeFlow(): () => void {
    const { clock } = this.settings;
    return clock instanceof MovedClock ? clock.flow() : () => undefined;
  }

  /** @throws AggregateError with each answer that deviates from its declaration */
  throwAnswerFaults(): void {
    const faults = this.#findAnswerFaults();
    if (faults.length > 0)
      throw new AggregateError(faults, faults.map((fault) => fault.message).join('\n\n'));
  }

  #findAnswerFaults(): readonly Error[] {
    return this.#processes.flatMap((node) =>
      node.answerFaults.map((line) => new Error(`${node.describe()}: ${line}`)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/**
 * Starts a system of real processes (`dist/<name>.js`, or `parley serve`) on free ports and waits until all are ready, for tests that kill, pause
 * or measure them. Without `databaseUrl` it gets a database of its own, without `redisPrefix` a Redis prefix of its own; rate limits are
 * off.
 *
 * @throws Error with the output of the process that did not start, after stopping the others
 */
export function startCluster(options: ClusterOptions = {}): Promise<Cluster<ServiceProcess>> {
  return startNodes(options, systemClock, (...given) => ServiceProcess.start(...given));
}

/**
 * Starts the same system in this process, in a fraction of the time. Its nodes have separate connections, caches and secrets. The first
 * gateway calls them, as in one process; further gateways reach them by the network, as from another.
 *
 * @throws Error with the output of the node that did not start, after stopping the others
 */
export async function startLocalCluster(
  options: ClusterOptions = {},
): Promise<Cluster<LocalService>> {
  const clock = new MovedClock();
  const environment = {
    // The gateway compares them, as parts of its own.
    PARLEY_CHECK_ANSWERS: 'off',
    ...options.environment,
  };
  const localNodes: LocalNodes = new Map();
  let gateways = 0;
  const cluster = await startNodes(
    { ...options, environment },
    clock,
    (service, nodeId, ofNode, nodeOptions) => {
      if (service === 'together') throw new Error('only separate processes have all services');
      if (service === 'gateway') gateways += 1;
      const isElsewhere = service === 'gateway' && gateways > 1;
      return LocalService.start(service, nodeId, ofNode, {
        ...nodeOptions,
        localNodes: isElsewhere ? new Map() : localNodes,
      });
    },
  );
  if (options.time === 'flows') clock.flow();
  localSystems.add(cluster);
  return cluster;
}

/**
 * Waits until everything has happened in the systems of this process that earlier requests and the time cause ({@link Cluster.settle}).
 *
 * @throws Error if there is none, or if something does not come to an end
 */
export async function settle(): Promise<void> {
  if (localSystems.size === 0) throw new Error('no system of this process runs');
  for (const system of localSystems) await system.settle();
}

/** Starts a system of either kind. */
export function startSystem({
  ownProcesses = false,
  ...options
}: SystemOptions = {}): Promise<Cluster> {
  return ownProcesses ? startCluster(options) : startLocalCluster(options);
}

async function startNodes<Node extends ServiceNode>(
  options: ClusterOptions,
  clock: Clock,
  start: StartNode<Node>,
): Promise<Cluster<Node>> {
  const redisUrl = options.redisUrl ?? getTestStores().redisUrl;
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const uploadsDir = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
  const settings: ClusterSettings = {
    clock,
    databaseUrl: options.databaseUrl ?? database?.url ?? '',
    redisUrl,
    redisCaFile: options.redisCaFile,
    redisCa:
      options.redisCaFile === undefined ? undefined : await readFile(options.redisCaFile, 'utf8'),
    redisPrefix: options.redisPrefix ?? createRedisPrefix(),
    keySecret: options.environment?.['PARLEY_KEY_SECRET'] ?? randomBytes(24).toString('hex'),
    internalSecret:
      options.environment?.['PARLEY_INTERNAL_SECRET'] ?? randomBytes(24).toString('hex'),
    uploadsDir,
  };
  keepTimeOf(settings.databaseUrl, clock);
  const cluster = new Cluster<Node>(settings, options, start, async () => {
    await rm(uploadsDir, { recursive: true, force: true });
    await database?.drop();
  });
  const { together = 0 } = options;
  const usual = together > 0 ? 0 : 1;
  const counts: Readonly<Record<NodeKind, number>> = {
    together,
    gateway: options.gateways ?? usual,
    messages: options.messages ?? usual,
    subscriptions: options.subscriptions ?? usual,
    people: options.people ?? usual,
    presence: options.presence ?? usual,
    events: options.events ?? usual,
  };
  const starts = (['together', ...serviceNames] as const).flatMap((service) =>
    Array.from({ length: counts[service] }, () => cluster.startAnother(service)),
  );
  const outcomes = await Promise.allSettled(starts);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) {
    await cluster.stop().catch(() => undefined);
    throw failure.reason;
  }
  return cluster;
}
