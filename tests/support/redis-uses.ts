import { readObjects, waitUntil } from '@parley/test-kit';
import type { Cluster, TestAccount, TestOrganization } from '@parley/test-kit';

import { environmentOf, runParley } from './run-parley.ts';

/** The limits of the tested system: ordinary work does not reach them, and only few failed logins are allowed. */
export const limitsForRedisUses = {
  PARLEY_RATE_LIMITS: '60:500000,3600:1000000',
  PARLEY_LOGIN_LIMITS: '60:3,3600:50',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
} as const;

const loginsMax = 3;
const password = 'a long password of nobody';

/** Waits until every use of Redis except delivery works again, whatever happened to Redis before. */
export class RedisUses {
  readonly #cluster: Cluster;
  readonly #organization: TestOrganization;
  #looks = 0;

  constructor(cluster: Cluster, organization: TestOrganization) {
    this.#cluster = cluster;
    this.#organization = organization;
  }

  async check(): Promise<void> {
    this.#looks += 1;
    const make = (name: string): Promise<TestAccount> =>
      this.#organization.makeAccount(`${name} ${this.#looks}`, {
        password,
      });
    const [ann, ben] = [await make('Ann'), await make('Ben')];
    await this.#checkCounts(ann);
    await this.#checkJobs(ann, ben);
    await this.#checkPresence(ann, ben);
    await this.#checkLogins(ann);
    await this.#checkRevocation(ben);
    await this.#checkCommand();
  }

  /** Both gateways count a user's requests together. */
  async #checkCounts(account: TestAccount): Promise<void> {
    await waitUntil('requests are counted by all gateways together', async () => {
      const remaining: number[] = [];
      for (let request = 0; request < 2 * account.client.urls.length; request += 1) {
        const { headers } = await account.client.request('GET', 'users/me');
        remaining.push(Number(headers['x-ratelimit-remaining']));
      }
      return remaining.every((count, n) => n === 0 || count === (remaining[n - 1] ?? 0) - 1);
    });
  }

  /** A notice that passes through the queue of jobs. */
  async #checkJobs(from: TestAccount, to: TestAccount): Promise<void> {
    // A user who is subscribed to a new stream learns of it only there.
    const subscriptions = [{ name: `made ${this.#looks}` }];
    await from.client.post('users/me/subscriptions', { subscriptions });
    await from.client.post('users/me/subscriptions', { subscriptions, principals: [to.email] });
    await waitUntil('the notice of a subscription arrived', async () => {
      const body = await to.client.get('messages', {
        anchor: 'newest',
        num_before: 10,
        num_after: 0,
        narrow: [{ operator: 'is', operand: 'private' }],
      });
      return readObjects(body, 'messages').some(({ content }) =>
        String(content).includes('subscribed you'),
      );
    });
  }

  /** A report to one replica is read from another, through Redis. */
  async #checkPresence(reporter: TestAccount, reader: TestAccount): Promise<void> {
    const countWithout = async (): Promise<number> => {
      const counts = this.#cluster
        .findProcesses('presence')
        .map((replica) => replica.readMetric('parley_presence_without_redis_total'));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    };
    let reports = 0;
    await waitUntil('presence goes through Redis', async () => {
      reports += 1;
      const client = `client ${reports}`;
      const before = await countWithout();
      await reporter.client.post('users/me/presence', { status: 'active', client });
      const body = await reader.client.get('realm/presence');
      const presences = body['presences'] as Record<string, Record<string, unknown>>;
      const isThere = presences[reporter.email]?.[client] !== undefined;
      return (await countWithout()) === before && isThere;
    });
  }

  /** One failed login more than allowed is refused, whichever gateways got them. */
  async #checkLogins(account: TestAccount): Promise<void> {
    let address = 0;
    await waitUntil('failed logins are limited', async () => {
      address += 1;
      const statuses: number[] = [];
      for (let login = 0; login <= loginsMax; login += 1) {
        const { status } = await account.client.request(
          'POST',
          'fetch_api_key',
          { username: `nobody-${this.#looks}-${address}@example.com`, password: 'wrong' },
          { headers: { 'x-forwarded-for': `10.${this.#looks}.0.${address}` } },
        );
        statuses.push(status);
      }
      return statuses.indexOf(429) === loginsMax;
    });
  }

  /** After a change of a key through one gateway, all refuse the old key. */
  async #checkRevocation(account: TestAccount): Promise<void> {
    await account.client.post('users/me/api_key/regenerate', { password });
    for (const url of this.#cluster.gatewayUrls) {
      await waitUntil('the old key is refused', async () => {
        const login = Buffer.from(`${account.email}:${account.apiKey}`).toString('base64');
        const response = await fetch(`${url}/api/v1/users/me`, {
          headers: { authorization: `Basic ${login}` },
        });
        await response.arrayBuffer();
        return response.status === 401;
      });
    }
  }

  async #checkCommand(): Promise<void> {
    const { code, out } = await runParley(environmentOf(this.#cluster.settings), ['check']);
    if (code !== 0) throw new Error(`parley check finds faults:\n${out}`);
  }
}
