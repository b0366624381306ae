import { botTypes } from '@parley/api';
import { ParleyClient } from '@parley/client';
import { connectMaker } from '@parley/demo';
import type { ConnectedMaker, NewOrganizationStream, OrganizationMaker } from '@parley/demo';
import type { Role } from '@parley/api';
import type { Stream, User } from '@parley/store';

import { ApiClient } from './api-client.ts';
import type { Cluster, ClusterSettings } from './cluster.ts';

/** An account with a client that acts as it. */
export type TestAccount = {
  readonly user: User;
  readonly id: number;
  readonly email: string;
  readonly apiKey: string;
  /** Makes any call, checks the answer, and returns it unchanged. */
  readonly client: ApiClient;
  /** The published client, for correct calls: it repeats requests that may be repeated. */
  readonly typed: ParleyClient;
};

export type TestAccountOptions = {
  /** By default made from the name: `Ann Lee` is `ann.lee@example.com`. */
  readonly email?: string;
  readonly role?: Role;
  readonly botType?: number;
  readonly owner?: TestAccount;
  readonly password?: string;
};

/**
 * An organization in a cluster's database, created through the store modules without any endpoint. Disposing it closes its connections.
 */
export class TestOrganization {
  readonly maker: OrganizationMaker;
  readonly #connected: ConnectedMaker;
  readonly #urls: () => readonly string[];

  /** Creates the realm with its system bots. */
  static async create(
    settings: ClusterSettings,
    gatewayUrls: () => readonly string[],
  ): Promise<TestOrganization> {
    const organization = new TestOrganization(connectMaker(settings), gatewayUrls);
    await organization.maker.makeRealm({ name: 'Test Organization', stringId: 'test' });
    return organization;
  }

  private constructor(connected: ConnectedMaker, gatewayUrls: () => readonly string[]) {
    this.#connected = connected;
    this.maker = connected.maker;
    this.#urls = gatewayUrls;
  }

  /** Creates one account, a member by default. */
  async makeAccount(fullName: string, options: TestAccountOptions = {}): Promise<TestAccount> {
    const [account] = await this.makeAccounts([fullName], options);
    if (account === undefined) throw new Error('no account was made');
    return account;
  }

  /** Creates an account for each name, otherwise alike. */
  async makeAccounts(
    fullNames: readonly string[],
    options: TestAccountOptions = {},
  ): Promise<TestAccount[]> {
    const { email, owner, ...rest } = options;
    const made = await this.maker.makeAccounts(
      fullNames.map((fullName) => ({
        ...rest,
        fullName,
        email: email ?? `${fullName.toLowerCase().replaceAll(/\s+/g, '.')}@example.com`,
        ...(owner === undefined ? {} : { ownerEmail: owner.email }),
      })),
    );
    const urls = this.#urls();
    return made.map(({ user, apiKey }) => ({
      user,
      id: user.id,
      email: user.email,
      apiKey,
      client: new ApiClient({ urls, email: user.email, apiKey }),
      typed: new ParleyClient({ site: urls[0] ?? '', email: user.email, apiKey }),
    }));
  }

  /** Creates an account of every role, and a generic bot of the administrator. */
  async makeEveryRole(): Promise<
    Readonly<Record<'administrator' | 'member' | 'guest' | 'bot', TestAccount>>
  > {
    const administrator = await this.makeAccount('Ada Administrator', { role: 'administrator' });
    return {
      administrator,
      member: await this.makeAccount('Max Member', { role: 'member' }),
      guest: await this.makeAccount('Gus Guest', { role: 'guest' }),
      bot: await this.makeAccount('Robo Bot', { botType: botTypes.generic, owner: administrator }),
    };
  }

  /** Creates a stream with these members; public by default. */
  async makeStream(
    name: string,
    members: readonly TestAccount[],
    options: Omit<NewOrganizationStream, 'name'> = {},
  ): Promise<Stream> {
    const [stream] = await this.maker.makeStreams([{ ...options, name }]);
    if (stream === undefined) throw new Error('no stream was made');
    await this.maker.subscribe(
      stream.id,
      members.map(({ id }) => id),
    );
    return stream;
  }

  async close(): Promise<void> {
    await this.#connected.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Creates an organization in a cluster that has none yet.
 *
 * @param gatewayUrls the gateways that its accounts use, by default all
 */
export function makeOrganization(
  cluster: Cluster,
  gatewayUrls: () => readonly string[] = () => cluster.gatewayUrls,
): Promise<TestOrganization> {
  return TestOrganization.create(cluster.settings, gatewayUrls);
}
