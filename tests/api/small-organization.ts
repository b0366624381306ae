/** A cluster with a small organization, for tests of people, streams and subscriptions. */
import type { Caller } from '@parley/api';
import type { LogEntry } from '@parley/event-log';
import type { Pool } from '@parley/database';
import { ParleyClient } from '@parley/client';
import { connectMaker } from '@parley/demo';
import type { Account } from '@parley/demo';
import { ApiClient, openTestPool, useSystem } from '@parley/test-kit';
import type { Cluster, SystemUse, UsedSystem } from '@parley/test-kit';

const people = [
  { email: 'Ann@example.com', fullName: 'Ann Lee', role: 'administrator', password: 'ann-secret' },
  { email: 'bob@example.com', fullName: 'Bob Ray', role: 'member', password: 'bob-secret' },
  { email: 'cat@example.com', fullName: 'Cat Moe', role: 'member' },
  { email: 'gil@example.com', fullName: 'Gil Fox', role: 'guest' },
  { email: 'bob-bot@example.com', fullName: 'Bob Bot', botType: 1, ownerEmail: 'bob@example.com' },
  { email: 'hook-bot@example.com', fullName: 'Hook', botType: 2, ownerEmail: 'bob@example.com' },
] as const;

export type PersonKey = 'ann' | 'bob' | 'cat' | 'gil' | 'bobBot' | 'hookBot';
const keys: readonly PersonKey[] = ['ann', 'bob', 'cat', 'gil', 'bobBot', 'hookBot'];

export class SmallOrganization {
  readonly cluster: Cluster;
  readonly pool: Pool;
  readonly accounts: Readonly<Record<PersonKey, Account>>;
  readonly #system: UsedSystem;

  /** Created only by `startSmallOrganization`. */
  constructor(system: UsedSystem, pool: Pool, accounts: Readonly<Record<PersonKey, Account>>) {
    this.#system = system;
    this.cluster = system.cluster;
    this.pool = pool;
    this.accounts = accounts;
  }

  /** The addresses of the gateways for this file. */
  get gatewayUrls(): readonly string[] {
    return this.#system.gatewayUrls();
  }

  /** The address of the first of them. */
  get url(): string {
    return this.gatewayUrls[0] ?? '';
  }

  /**
   * Starts one more gateway with other settings.
   *
   * @returns its address
   */
  addGateway(settings: Readonly<Record<string, string>>): Promise<string> {
    return this.#system.addGateway(settings);
  }

  /** @returns a client for a person, or for nobody */
  client(who?: PersonKey, apiKey?: string): ApiClient {
    const urls = this.gatewayUrls;
    if (who === undefined) return new ApiClient({ urls });
    const account = this.accounts[who];
    return new ApiClient({ urls, email: account.user.email, apiKey: apiKey ?? account.apiKey });
  }

  /** The published client, for valid calls: it repeats requests that may be repeated. */
  typed(who: PersonKey): ParleyClient {
    const { user, apiKey } = this.accounts[who];
    return new ParleyClient({ site: this.url, email: user.email, apiKey });
  }

  id(who: PersonKey): number {
    return this.accounts[who].user.id;
  }

  /** A person as the gateway names them to services. */
  caller(who: PersonKey): Caller {
    const { id: userId, email, role } = this.accounts[who].user;
    return { userId, email, role, botType: null, botOwnerId: null };
  }

  /** @returns the newest position of the log */
  async position(): Promise<number> {
    const { rows } = await this.pool.query<{ position: number }>({
      text: 'SELECT coalesce(max(position), 0) AS position FROM log_entries',
    });
    return rows[0]?.position ?? 0;
  }

  /** @returns the entries above a position, in order */
  async entriesAfter(position: number): Promise<LogEntry[]> {
    const { rows } = await this.pool.query<{ payload: string }>({
      text: 'SELECT payload FROM log_entries WHERE position > $1 ORDER BY position',
      values: [position],
    });
    return rows.map((row) => JSON.parse(row.payload) as LogEntry);
  }

  /** Removes all streams and memberships, and resets the realm's settings. */
  async removeStreams(): Promise<void> {
    await this.pool.query({
      text: 'TRUNCATE streams, subscriptions, membership_periods, read_stream_floors, stream_first_messages',
    });
    await this.pool.query({ text: "UPDATE realm SET settings = '{}'" });
  }

  /** Creates another person with a bot. */
  async makePersonWithBot(
    name: string,
    password?: string,
  ): Promise<{ person: Account; bot: Account }> {
    await using connected = connectMaker({ ...this.cluster.settings });
    const email = `${name}@example.com`;
    const [person, bot] = await connected.maker.makeAccounts([
      { email, fullName: name, ...(password !== undefined && { password }) },
      { email: `${name}-bot@example.com`, fullName: `${name} bot`, botType: 1, ownerEmail: email },
    ]);
    if (person === undefined || bot === undefined) throw new Error('an account was not made');
    return { person, bot };
  }

  clientOf(account: Account): ApiClient {
    return new ApiClient({
      urls: this.gatewayUrls,
      email: account.user.email,
      apiKey: account.apiKey,
    });
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.#system.release();
  }
}

/** Starts gateway, subscriptions and presence (and services in the options) with the organization. */
export async function startSmallOrganization(options: SystemUse = {}): Promise<SmallOrganization> {
  const system = await useSystem({ events: 0, messages: 0, ...options });
  const { cluster } = system;
  await using connected = connectMaker({ ...cluster.settings });
  await connected.maker.makeRealm({
    name: 'Example',
    stringId: 'example',
    description: 'We *test*.',
  });
  const made = await connected.maker.makeAccounts(people);
  const accounts = Object.fromEntries(keys.map((key, n) => [key, made[n]]));
  const pool = openTestPool(cluster.settings.databaseUrl, 2);
  return new SmallOrganization(system, pool, accounts as Record<PersonKey, Account>);
}
