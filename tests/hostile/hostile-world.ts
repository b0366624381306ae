/** The organization that gets the requests; its accounts are restored after strangers changed it. */
import type { Pool } from '@parley/database';
import { findApiKeys } from '@parley/store';
import { makeOrganization, openTestPool, startLocalCluster } from '@parley/test-kit';
import type { Cluster, TestAccount, TestOrganization } from '@parley/test-kit';

export const callers = [
  'admin',
  'member',
  'other',
  'guest',
  'bot',
  'hook',
  'outgoing',
  'gone',
  'wrongKey',
  'nobody',
] as const;

export type Caller = (typeof callers)[number];

type Ids = Readonly<Record<string, readonly string[]>>;

/** A query for each list; the keeper's ids are in none. */
const lists: Readonly<Record<string, string>> = {
  message: 'SELECT id FROM messages ORDER BY id DESC LIMIT 60',
  stream: 'SELECT id FROM streams WHERE NOT is_deactivated ORDER BY id LIMIT 40',
  streamName: 'SELECT name FROM streams WHERE NOT is_deactivated ORDER BY id LIMIT 40',
  topic: "SELECT DISTINCT topic FROM messages WHERE topic <> '' ORDER BY topic LIMIT 20",
  user: 'SELECT id FROM users WHERE id <> $1 ORDER BY id LIMIT 40',
  email: 'SELECT coalesce(delivery_email, email) FROM users WHERE id <> $1 ORDER BY id LIMIT 40',
  bot: 'SELECT id FROM users WHERE bot_type IS NOT NULL AND NOT is_system ORDER BY id LIMIT 20',
  queue: 'SELECT queue_id FROM event_queues ORDER BY created_at LIMIT 20',
  userGroup: 'SELECT id FROM user_groups ORDER BY id LIMIT 20',
  streamGroup: 'SELECT id FROM default_stream_groups ORDER BY id LIMIT 20',
  filter: 'SELECT id FROM linkifiers ORDER BY id LIMIT 20',
  field: 'SELECT id FROM custom_profile_fields ORDER BY id LIMIT 20',
  attachment: 'SELECT id FROM uploads ORDER BY id LIMIT 20',
  draft: 'SELECT id FROM drafts ORDER BY id LIMIT 20',
  scheduledMessage: 'SELECT id FROM deferred_messages ORDER BY id LIMIT 20',
  file: 'SELECT path_id FROM uploads ORDER BY id LIMIT 20',
  emoji: 'SELECT name FROM realm_emoji ORDER BY id LIMIT 20',
  domain: 'SELECT domain FROM realm_domains LIMIT 20',
};

/** Settings that keep the other endpoints reachable. */
const workableSettings = {
  email_address_visibility: 1,
  create_stream_policy: 1,
  invite_to_stream_policy: 1,
  waiting_period_threshold: 0,
  mandatory_topics: false,
  allow_message_editing: true,
};

export class HostileWorld {
  readonly cluster: Cluster;
  readonly pool: Pool;
  readonly #organization: TestOrganization;
  readonly #keeper: TestAccount;
  readonly #accounts: Map<Caller, TestAccount>;
  #ids: Ids = {};
  #keys = new Map<number, string>();
  #emails = new Map<number, string>();
  #turn = 0;

  private constructor(
    cluster: Cluster,
    pool: Pool,
    organization: TestOrganization,
    keeper: TestAccount,
    accounts: Map<Caller, TestAccount>,
  ) {
    this.cluster = cluster;
    this.pool = pool;
    this.#organization = organization;
    this.#keeper = keeper;
    this.#accounts = accounts;
  }

  static async start(): Promise<HostileWorld> {
    const cluster = await startLocalCluster({
      time: 'flows',
      // The first calls the services in this process, the second over the network.
      gateways: 2,
      environment: {
        // Makes a held poll return soon.
        PARLEY_HEARTBEAT_MIN_SECS: '0.2',
        PARLEY_HEARTBEAT_MAX_SECS: '0.4',
        PARLEY_EVENT_STREAM_LIFETIME_SECS: '0.5',
        // A slow answer of a busy machine is no fault of a service.
        PARLEY_UPSTREAM_TIMEOUT_SECS: '60',
      },
    });
    const organization = await makeOrganization(cluster);
    const keeper = await organization.makeAccount('Kim Keeper', { role: 'administrator' });
    const member = await organization.makeAccount('Max Member', { password: 'max-secret' });
    const accounts = new Map<Caller, TestAccount>([
      ['member', member],
      ['admin', await organization.makeAccount('Ada Admin', { role: 'administrator' })],
      ['other', await organization.makeAccount('Oda Other')],
      ['guest', await organization.makeAccount('Gus Guest', { role: 'guest' })],
      ['bot', await organization.makeAccount('Robo Bot', { botType: 1, owner: member })],
      ['hook', await organization.makeAccount('Hook Bot', { botType: 2, owner: member })],
      ['outgoing', await organization.makeAccount('Out Bot', { botType: 3, owner: member })],
      ['gone', await organization.makeAccount('Gone Person')],
    ]);
    const pool = openTestPool(cluster.settings.databaseUrl, 2);
    const world = new HostileWorld(cluster, pool, organization, keeper, accounts);
    await world.#populate();
    await world.restore();
    return world;
  }

  /** @returns ids, names or addresses of one list, at least one */
  list(name: string): readonly string[] {
    const found = this.#ids[name] ?? [];
    return found.length === 0 ? ['1'] : found;
  }

  /** @returns some items of each list; not the keeper's id, which other things may have too */
  get everything(): readonly string[] {
    return Object.keys(lists)
      .flatMap((name) => this.list(name).slice(0, 12))
      .filter((item) => item !== String(this.#keeper.id));
  }

  /** @returns the header with a caller's credentials; undefined for one without */
  authorizationOf(caller: Caller): string | undefined {
    if (caller === 'nobody') return undefined;
    const account = this.#accounts.get(caller === 'wrongKey' ? 'member' : caller);
    if (account === undefined) throw new Error(`${caller} has no account`);
    const key = caller === 'wrongKey' ? 'x'.repeat(32) : this.#keys.get(account.id);
    const email = this.#emails.get(account.id) ?? account.email;
    return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
  }

  /** @returns the gateways in turn */
  get url(): string {
    const { gatewayUrls } = this.cluster;
    this.#turn += 1;
    return gatewayUrls[this.#turn % gatewayUrls.length] ?? this.cluster.url;
  }

  /** Restores accounts and things, and reads all lists again. */
  async restore(): Promise<void> {
    await this.restoreAccounts();
    await this.#keepThings();
    await this.#readLists();
  }

  /** Restores every account's role and activity, and reads new keys and addresses. */
  async restoreAccounts(): Promise<void> {
    const { client } = this.#keeper;
    const byId = await this.#readAccounts();
    for (const [caller, { id, user }] of this.#accounts) {
      const found = byId.get(id);
      if (caller === 'gone') {
        if (found?.isActive === true) await client.delete(`users/${id}`);
        continue;
      }
      if (found?.isActive === false) await this.#reactivate(id);
      if (found?.role !== user.role)
        await client.patch(`users/${id}`, {
          is_admin: user.role === 'administrator',
          ...(user.role === 'administrator' ? {} : { is_guest: user.role === 'guest' }),
        });
    }
    for (const [id, { email }] of byId) this.#emails.set(id, email);
    this.#keys = await findApiKeys(this.pool, this.#organization.maker.keySecrets, [
      ...byId.keys(),
    ]);
  }

  async #readLists(): Promise<void> {
    this.#ids = Object.fromEntries(
      await Promise.all(
        Object.entries(lists).map(async ([name, text]) => {
          const { rows } = await this.pool.query<Record<string, unknown>>({
            text,
            values: text.includes('$1') ? [this.#keeper.id] : [],
          });
          return [name, rows.map((row) => String(Object.values(row)[0]))] as const;
        }),
      ),
    );
  }

  /** Somebody else may have taken the name in the meantime. */
  async #reactivate(id: number): Promise<void> {
    const { client } = this.#keeper;
    const { rows } = await this.pool.query<{ id: number }>({
      text: `SELECT other.id FROM users own JOIN users other ON other.full_name_folded = own.full_name_folded
        WHERE own.id = $1 AND other.id <> own.id AND other.is_active`,
      values: [id],
    });
    for (const other of rows)
      await client.patch(`users/${other.id}`, { full_name: `Renamed ${other.id}` });
    await client.post(`users/${id}/reactivate`);
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.#organization.close();
    await this.cluster.stop();
  }

  async #readAccounts(): Promise<Map<number, { email: string; isActive: boolean; role: string }>> {
    const { rows } = await this.pool.query<{
      id: number;
      email: string;
      isActive: boolean;
      role: string;
    }>({
      text: 'SELECT id, coalesce(delivery_email, email) AS email, is_active AS "isActive", role FROM users WHERE id = ANY ($1)',
      values: [[...this.#accounts.values()].map(({ id }) => id)],
    });
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #populate(): Promise<void> {
    const { client } = this.#keeper;
    await client.post('realm/filters', {
      pattern: '#(?P<id>[0-9]+)',
      url_format_string: 'https://example.com/%(id)s',
    });
    await client.post('realm/domains', { domain: 'example.net', allow_subdomains: false });
    await client.post('realm/profile_fields', { name: 'Phone', hint: '', field_type: 1 });
    const form = new FormData();
    form.append('file', new Blob(['text']), 'a.txt');
    const { email, apiKey } = this.#keeper;
    const uploaded = await fetch(`${this.cluster.url}/api/v1/user_uploads`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}` },
      body: form,
    });
    if (!uploaded.ok) throw new Error(`the upload was refused: ${await uploaded.text()}`);
  }

  /** Ensures that there are streams, messages, groups and queues, whatever was deleted or changed. */
  async #keepThings(): Promise<void> {
    const { client } = this.#keeper;
    await client.patch('realm', workableSettings);
    this.#turn += 1;
    const accounts = [...this.#accounts].filter(([caller]) => caller !== 'gone');
    const everybody = accounts.map(([, { id }]) => this.#emails.get(id) ?? '');
    for (const name of [`room ${this.#turn}`, `secret ${this.#turn}`]) {
      const isSecret = name.startsWith('secret');
      await client.post('users/me/subscriptions', {
        subscriptions: [{ name }],
        invite_only: isSecret,
        principals: [client.email, ...(isSecret ? [] : everybody)],
      });
      await client.sendToStream(name, 'topic', `A message in ${name}`);
    }
    await client.sendPrivately(everybody.slice(0, 2), 'To you');
    for (const email of everybody) await client.sendPrivately([email], 'x');
    await client.post('user_groups/create', {
      name: `group ${this.#turn}`,
      description: '',
      members: [this.#keeper.id],
    });
    await client.post('register', { event_types: ['message'] });
  }
}
