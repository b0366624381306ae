import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
  createMigratedDatabase,
  createRedisPrefix,
  makeOrganization,
  startCluster,
} from '@parley/test-kit';
import type {
  ApiClient,
  Cluster,
  ClusterOptions,
  NodeKind,
  ServiceProcess,
  TestOrganization,
} from '@parley/test-kit';

import { MailServer } from '../support/mail-server.ts';
import { startDurableStores } from './durable-stores.ts';
import type { DurableStores } from './durable-stores.ts';
import type { FleetAccount } from './fleet/protocol.ts';

/** The system that a scenario measures. */
export type LoadSystem = {
  readonly urls: readonly string[];
  /** Clients of distinct people, all subscribed to the stream. */
  readonly clients: readonly ApiClient[];
  /** The keys of the same people. */
  readonly accounts: readonly FleetAccount[];
  readonly stream: string;
  readonly organization: TestOrganization;
  readonly cluster: Cluster<ServiceProcess>;
  readonly stores: DurableStores;
  readonly stop: () => Promise<void>;
};

/** Options of a system that the generator starts. */
export type OwnSystemOptions = Omit<
  ClusterOptions,
  'databaseUrl' | 'redisUrl' | 'redisPrefix' | 'checkAnswers' | 'logFolder'
> & {
  /** Whether the processes log to files that nobody reads during the run. */
  readonly logsToFiles?: boolean;
};

/** What runs in the processes of a system, in alphabetical order: services, or all together. */
export function nodeKindsOf(cluster: Cluster<ServiceProcess>): readonly NodeKind[] {
  return [...new Set(cluster.processes.map(({ service }) => service))].toSorted();
}

const stream = 'load';
// The default of a process; test clusters have a lower value.
const databasePoolMax = '8';

/** @returns the accounts again and again, for clients of which several may be the same person */
export function accountsInTurn({ accounts }: LoadSystem, count: number): readonly FleetAccount[] {
  return Array.from({ length: count }, (_, n) => accounts[n % accounts.length]).filter(
    (account) => account !== undefined,
  );
}

/**
 * Starts a system: empty durable stores, two event nodes and one of each other service unless specified. Everything is as in
 * production, with a mail server that takes everything, except that rate limits are off. All people of the organization are in one public
 * stream.
 */
export async function startOwnSystem(
  peopleCount: number,
  options: OwnSystemOptions = {},
): Promise<LoadSystem> {
  const stores = await startDurableStores();
  try {
    const system = await startSystemOn(stores, peopleCount, options);
    return {
      ...system,
      stop: async () => {
        try {
          await system.stop();
        } finally {
          await stores.stop();
        }
      },
    };
  } catch (error) {
    await stores.stop();
    throw error;
  }
}

/** Starts a system like `startOwnSystem`, but on running stores and with a separate database. Stopping it keeps the stores. */
export async function startSystemOn(
  stores: DurableStores,
  peopleCount: number,
  options: OwnSystemOptions = {},
): Promise<LoadSystem> {
  const disposal = new AsyncDisposableStack();
  try {
    const mailServer = disposal.adopt(await MailServer.start(), (server) => server.stop());
    const environment = { ...mailServer.settings, ...options.environment };
    const cluster = disposal.use(await startClusterOn(stores, { ...options, environment }));
    const organization = disposal.use(await makeOrganization(cluster));
    const people = await organization.makeAccounts(
      Array.from({ length: peopleCount }, (_, n) => `Person ${n}`),
    );
    await organization.makeStream(stream, people);
    return {
      urls: cluster.gatewayUrls,
      clients: people.map(({ client }) => client),
      accounts: people.map(({ email, apiKey }) => ({ email, apiKey })),
      stream,
      organization,
      cluster,
      stores,
      stop: () => disposal.disposeAsync(),
    };
  } catch (error) {
    await disposal.disposeAsync();
    throw error;
  }
}

/**
 * Starts the processes of a system on running stores.
 *
 * @param prepare fills its database, which is migrated and empty, before the processes start
 */
export async function startClusterOn(
  stores: DurableStores,
  options: OwnSystemOptions = {},
  prepare?: (databaseUrl: string) => Promise<void>,
): Promise<Cluster<ServiceProcess>> {
  const { logsToFiles = false, environment, ...processes } = options;
  const database = await createMigratedDatabase(stores.postgres.url);
  await prepare?.(database.url);
  const logFolder = logsToFiles ? join(stores.folder, 'logs') : undefined;
  if (logFolder !== undefined) await mkdir(logFolder, { recursive: true });
  return startCluster({
    events: 2,
    ...processes,
    databaseUrl: database.url,
    redisUrl: stores.redis.url,
    redisPrefix: createRedisPrefix(),
    checkAnswers: false,
    logFolder,
    environment: {
      PARLEY_RATE_LIMITS: 'off',
      PARLEY_MODE: 'production',
      PARLEY_DATABASE_POOL_MAX: databasePoolMax,
      ...environment,
    },
  });
}
