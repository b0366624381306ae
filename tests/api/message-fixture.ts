/** A cluster that sends and fetches messages, with a few people, bots and streams in it. */
import type { LogEntry, MessageSentEntry } from '@parley/event-log';
import type { Pool } from '@parley/database';
import {
  RefusedRequest,
  makeOrganization,
  openTestPool,
  readObjects,
  useSystem,
} from '@parley/test-kit';
import type {
  Cluster,
  Parameters,
  SystemUse,
  TestAccount,
  TestOrganization,
} from '@parley/test-kit';

export type Message = Readonly<Record<string, unknown>> & {
  readonly id: number;
  readonly flags: readonly string[];
};

export type MessageFixture = {
  readonly cluster: Cluster;
  readonly organization: TestOrganization;
  readonly pool: Pool;
  readonly ann: TestAccount;
  readonly bob: TestAccount;
  readonly cat: TestAccount;
  readonly guest: TestAccount;
  readonly bot: TestAccount;
  readonly stop: () => Promise<void>;
};

/** Ann is an administrator, Bob and Cat are members, the bot is Bob's. */
export async function startMessageFixture(options: SystemUse = {}): Promise<MessageFixture> {
  const { cluster, gatewayUrls, release } = await useSystem({
    events: 0,
    people: 0,
    presence: 0,
    subscriptions: 0,
    ...options,
  });
  const organization = await makeOrganization(cluster, gatewayUrls);
  const pool = openTestPool(cluster.settings.databaseUrl, 2);
  const bob = await organization.makeAccount('Bob Ray', { email: 'bob@example.com' });
  return {
    cluster,
    organization,
    pool,
    ann: await organization.makeAccount('Ann Lee', {
      email: 'ann@example.com',
      role: 'administrator',
    }),
    bob,
    cat: await organization.makeAccount('Cat Moe', { email: 'cat@example.com' }),
    guest: await organization.makeAccount('Gus Guest', {
      email: 'guest@example.com',
      role: 'guest',
    }),
    bot: await organization.makeAccount('Robo Bot', {
      email: 'bot@example.com',
      botType: 1,
      owner: bob,
    }),
    stop: async () => {
      await pool.end();
      await organization.close();
      await release();
    },
  };
}

/** @returns the body of a refusal */
export async function refusalOf(
  request: Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    await request;
  } catch (error) {
    if (error instanceof RefusedRequest) return { status: error.status, ...error.body };
    throw error;
  }
  throw new Error('the request was not refused');
}

/** Fetches messages around an anchor, by default the newest 100. */
export async function fetchMessages(
  account: TestAccount,
  parameters: Parameters = {},
): Promise<{
  readonly messages: readonly Message[];
  readonly ids: readonly number[];
  readonly body: Readonly<Record<string, unknown>>;
}> {
  const body = await account.client.get('messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    ...parameters,
  });
  const messages = readObjects(body, 'messages') as unknown as readonly Message[];
  return { messages, ids: messages.map((message) => message.id), body };
}

/** @returns the log's entry of a message */
export async function entryOf(pool: Pool, messageId: number): Promise<MessageSentEntry> {
  const { rows } = await pool.query<{ payload: string }>({
    text: 'SELECT e.payload FROM messages m JOIN log_entries e ON e.position = m.position WHERE m.id = $1',
    values: [messageId],
  });
  return JSON.parse(rows[0]?.payload ?? 'null') as MessageSentEntry;
}

/** @returns the newest entry of the log */
export async function newestEntry(pool: Pool): Promise<LogEntry> {
  const { rows } = await pool.query<{ payload: string }>({
    text: 'SELECT payload FROM log_entries ORDER BY position DESC LIMIT 1',
  });
  return JSON.parse(rows[0]?.payload ?? 'null') as LogEntry;
}
