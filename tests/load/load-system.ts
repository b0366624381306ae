import {
  ApiClient,
  createMigratedDatabase,
  createRedisPrefix,
  makeOrganization,
  startCluster,
  startTestPostgres,
  startTestRedis,
} from '@parley/test-kit';
import type { Cluster, ClusterOptions, TestOrganization } from '@parley/test-kit';

/** What a scenario works on. */
export type LoadSystem = {
  readonly urls: readonly string[];
  /** Clients of distinct people, all subscribed to the stream. */
  readonly clients: readonly ApiClient[];
  readonly stream: string;
  /** Only of a system of the generator's own: what no endpoint does. */
  readonly organization: TestOrganization | undefined;
  /** Only of a system of the generator's own: its processes. */
  readonly cluster: Cluster | undefined;
  readonly stop: () => Promise<void>;
};

/** What a system of the generator's own may have other than usual. */
export type OwnSystemOptions = Pick<ClusterOptions, 'events' | 'gateways' | 'environment'>;

const stream = 'load';

/**
 * @param scenario named in the error
 * @returns the organization and the processes
 * @throws Error for a system that is not the generator's own
 */
export function getOwn(
  system: LoadSystem,
  scenario: string,
): { readonly organization: TestOrganization; readonly cluster: Cluster } {
  const { organization, cluster } = system;
  if (organization === undefined || cluster === undefined)
    throw new Error(`the ${scenario} scenario needs a system of its own: leave out --url`);
  return { organization, cluster };
}

/**
 * Starts a system of the generator's own: empty stores, two event nodes and one of each other service unless told otherwise, rate
 * limits off, and an organization of so many people in one public stream.
 */
export async function startOwnSystem(
  peopleCount: number,
  options: OwnSystemOptions = {},
): Promise<LoadSystem> {
  const disposal = new AsyncDisposableStack();
  try {
    const postgres = await startTestPostgres();
    disposal.defer(() => postgres.stop());
    const redis = await startTestRedis();
    disposal.defer(() => redis.stop());
    const database = await createMigratedDatabase(postgres.url);
    const cluster = disposal.use(
      await startCluster({
        events: options.events ?? 2,
        gateways: options.gateways ?? 1,
        databaseUrl: database.url,
        redisUrl: redis.url,
        redisPrefix: createRedisPrefix(),
        checkAnswers: false,
        environment: {
          PARLEY_RATE_LIMITS: 'off',
          PARLEY_MODE: 'production',
          PARLEY_DATABASE_POOL_MAX: '10',
          ...options.environment,
        },
      }),
    );
    const organization = disposal.use(await makeOrganization(cluster));
    const people = await organization.makeAccounts(
      Array.from({ length: peopleCount }, (_, n) => `Person ${n}`),
    );
    await organization.makeStream(stream, people);
    return {
      urls: cluster.gatewayUrls,
      clients: people.map(({ client }) => client),
      stream,
      organization,
      cluster,
      stop: () => disposal.disposeAsync(),
    };
  } catch (error) {
    await disposal.disposeAsync();
    throw error;
  }
}

/**
 * Uses a system that runs already, and subscribes the accounts to the stream `load`.
 *
 * @param accounts each `email:api_key`
 * @throws Error when there is none
 */
export async function useSystem(url: string, accounts: readonly string[]): Promise<LoadSystem> {
  if (accounts.length === 0)
    throw new Error('--url needs at least one --account EMAIL:API_KEY of that system');
  const clients = accounts.map((account) => {
    const separator = account.lastIndexOf(':');
    return new ApiClient({
      urls: [url],
      email: account.slice(0, separator),
      apiKey: account.slice(separator + 1),
    });
  });
  for (const client of clients)
    await client.post('users/me/subscriptions', { subscriptions: [{ name: stream }] });
  return {
    urls: [url],
    clients,
    stream,
    organization: undefined,
    cluster: undefined,
    stop: () => Promise.resolve(),
  };
}
