import { deriveKeySecrets } from '@parley/auth/secrets';
import { countStoredSecrets } from '@parley/store';
import { ApiClient, makeOrganization, startCluster, waitUntil } from '@parley/test-kit';
import type { Cluster, ServiceName, TestOrganization } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { WebhookReceiver } from '../api/webhook-receiver.ts';
import { environmentOf, startParley } from '../support/run-parley.ts';

const [first, second] = ['first-'.padEnd(40, 'x'), 'second-'.padEnd(40, 'y')];
const acceptBoth = { PARLEY_KEY_SECRET: first, PARLEY_KEY_SECRET_PREVIOUS: second };
const writeNew = { PARLEY_KEY_SECRET: second, PARLEY_KEY_SECRET_PREVIOUS: first };
const newAlone = { PARLEY_KEY_SECRET: second, PARLEY_KEY_SECRET_PREVIOUS: '' };

const gatewayFirst = [
  'gateway',
  'messages',
  'subscriptions',
  'people',
  'presence',
  'events',
] as const;
/** For a while keys are created with the new setting, and checked, used in calls and sent in events with the old one. */
const gatewayLast = [
  'presence',
  'people',
  'subscriptions',
  'events',
  'messages',
  'gateway',
] as const;

const password = 'a long enough word for it';

type Person = { readonly email: string; readonly password?: string; apiKey: string };
type Bot = { readonly id: number; readonly token: string };

/** Traffic during the replacement of processes, with everything that uses the key secret. */
class Traffic {
  /** Shared with every client: a gateway is removed before it ends. */
  readonly urls: string[];
  readonly people: Person[] = [];
  readonly failures: unknown[] = [];
  readonly botKeys: string[] = [];
  readonly receivedBotKeys: string[] = [];
  sent = 0;
  rounds = 0;
  readonly #admin: Person;
  readonly #receiver: WebhookReceiver;
  readonly #bot: Bot;
  readonly #heldPoll = new AbortController();
  #getsNewKey: Person | undefined;
  #isStopping = false;

  constructor(urls: readonly string[], admin: Person, receiver: WebhookReceiver, bot: Bot) {
    this.urls = [...urls];
    this.#admin = admin;
    this.#receiver = receiver;
    this.#bot = bot;
    this.people.push(admin);
  }

  as({ email, apiKey }: Pick<Person, 'email' | 'apiKey'>): ApiClient {
    return new ApiClient({ urls: this.urls, email, apiKey });
  }

  /** Starts the traffic; returns a function that stops it. */
  async start(): Promise<() => Promise<void>> {
    const queue = await this.as(this.#admin).post('register', { event_types: ['realm_bot'] });
    const everybody = this.#loop(() => this.#everybodyOnce());
    const polls = this.#poll(queue);
    return async () => {
      await waitUntil('every key was received', () =>
        Promise.resolve(this.receivedBotKeys.length >= this.botKeys.length ? true : undefined),
      );
      this.#isStopping = true;
      await everybody;
      this.#heldPoll.abort();
      await polls;
    };
  }

  async #loop(work: () => Promise<unknown>): Promise<void> {
    while (!this.#isStopping)
      await work().catch((error: unknown) => {
        if (!this.#heldPoll.signal.aborted) this.failures.push(error);
      });
  }

  async #everybodyOnce(): Promise<void> {
    for (const person of this.people) {
      const { apiKey } = person;
      try {
        await this.as(person).get('users/me');
        await this.send(person, `Number ${this.sent}`);
      } catch (error) {
        // A key may be refused before the answer with the new one arrives.
        if (person !== this.#getsNewKey && person.apiKey === apiKey) throw error;
      }
    }
    this.rounds += 1;
  }

  async send(person: Person, content: string): Promise<void> {
    await this.as(person).sendToStream('plaza', 'rotation', content);
    this.sent += 1;
  }

  async #poll(queue: Readonly<Record<string, unknown>>): Promise<void> {
    let last = queue['last_event_id'];
    await this.#loop(async () => {
      const { events } = await this.as(this.#admin).get(
        'events',
        { queue_id: queue['queue_id'], last_event_id: last },
        { signal: this.#heldPoll.signal },
      );
      for (const event of events as { id: number; bot?: { api_key?: string } }[]) {
        last = event.id;
        if (event.bot?.api_key !== undefined) this.receivedBotKeys.push(event.bot.api_key);
      }
    });
  }

  async changeBotKey(): Promise<void> {
    const changed = await this.as(this.#admin).post(`bots/${this.#bot.id}/api_key/regenerate`, {
      password,
    });
    this.botKeys.push(changed['api_key'] as string);
  }

  /** Every write that uses the key secret, and every read of earlier writes. */
  async changeEverything(): Promise<void> {
    const made = {
      email: `person${this.people.length}@example.com`,
      password,
    };
    await this.as(this.#admin).post('users', { ...made, full_name: `P ${this.people.length}` });
    const shown = await new ApiClient({ urls: this.urls }).post('fetch_api_key', {
      username: made.email,
      password: made.password,
    });
    const person = { ...made, apiKey: shown['api_key'] as string };
    await this.as(person).subscribe('plaza');
    // A user from before, whose key gateways know.
    await this.#replaceKey(this.people[1] ?? person);
    this.people.push(person);
    await this.changeBotKey();
    const text = `@**Helper** number ${this.people.length}`;
    await this.send(person, text);
    const call = await waitUntil('the bot is called', () =>
      Promise.resolve(this.#receiver.calls.find(({ body }) => body.includes(text))),
    );
    const { token } = JSON.parse(call.body) as { token: string };
    if (token !== this.#bot.token) throw new Error('the bot was called with another token');
  }

  async #replaceKey(person: Person): Promise<void> {
    const old = { ...person };
    this.#getsNewKey = person;
    const changed = await this.as(person).post('users/me/api_key/regenerate', {
      password,
    });
    person.apiKey = changed['api_key'] as string;
    this.#getsNewKey = undefined;
    for (const url of this.urls)
      await waitUntil('the old key is refused', async () => {
        const client = new ApiClient({ urls: [url], ...old });
        return (await client.request('GET', 'users/me')).status === 401 ? true : undefined;
      });
  }

  /** Failures from here on do not count. */
  [Symbol.dispose](): void {
    this.#isStopping = true;
  }

  async roundPasses(): Promise<void> {
    const from = this.rounds;
    await waitUntil('everybody was served once more', () =>
      Promise.resolve(this.rounds > from + 1 ? true : undefined),
    );
  }
}

/** One rolling deploy: each process is replaced by one with another setting during the traffic. */
async function deploy(
  cluster: Cluster,
  traffic: Traffic,
  environment: Readonly<Record<string, string>>,
  order: readonly ServiceName[],
): Promise<void> {
  for (const service of order) {
    const started = await cluster.startAnother(service, environment);
    if (service === 'gateway') {
      traffic.urls.push(started.url);
      await traffic.changeEverything();
      traffic.urls.splice(0, traffic.urls.length, started.url);
      await traffic.roundPasses();
    }
    await cluster.kill(service, 0, 'SIGTERM');
    await traffic.changeEverything();
  }
}

async function makeBot(
  organization: TestOrganization,
  url: string,
  owner: Person,
  gatewayUrls: readonly string[],
): Promise<Bot> {
  const client = new ApiClient({ urls: gatewayUrls, ...owner });
  const made = await client.post('bots', {
    full_name: 'Helper',
    short_name: 'helper',
    bot_type: 3,
    payload_url: JSON.stringify(url),
  });
  const id = made['user_id'] as number;
  const { rows } = await organization.maker.pool.query<{ id: number }>(
    'SELECT bot_id AS id FROM bot_services',
  );
  expect(rows).toEqual([{ id }]);
  const state = await client.post('register', { fetch_event_types: ['realm_bot'] });
  const bots = state['realm_bots'] as { user_id: number; services: { token: string }[] }[];
  const token = bots.find(({ user_id: userId }) => userId === id)?.services[0]?.token;
  expect(token).toMatch(/^\w{32}$/);
  return { id, token: token ?? '' };
}

test('the key secret is replaced as in the runbook, and no request fails', async () => {
  await using cluster = await startCluster({
    environment: {
      PARLEY_KEY_SECRET: first,
      PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
  });
  await using organization = await makeOrganization(cluster);
  const ann = await organization.makeAccount('Ann Lee', {
    role: 'administrator',
    password,
  });
  await organization.makeStream('plaza', [ann]);
  await using stack = new AsyncDisposableStack();
  const receiver = stack.adopt(await WebhookReceiver.start(), (started) => started.stop());
  const bot = await makeBot(organization, receiver.url('/bot'), ann, cluster.gatewayUrls);
  using traffic = new Traffic(cluster.gatewayUrls, { ...ann }, receiver, bot);
  const client = new ApiClient({ urls: traffic.urls, email: ann.email, apiKey: ann.apiKey });
  // Read only after the replacement of the secret, when the log contains entries that were encrypted at every stage.
  const late = await client.post('register', { event_types: ['realm_bot'] });
  const stop = await traffic.start();
  await traffic.changeEverything();

  await deploy(cluster, traffic, acceptBoth, gatewayFirst);
  await deploy(cluster, traffic, writeNew, gatewayLast);
  const parley = (setting: Readonly<Record<string, string>>): ReturnType<typeof startParley> =>
    startParley({ ...environmentOf(cluster.settings), ...setting }, ['key', 'reencrypt', '--json']);
  const before = JSON.parse((await parley(newAlone).ended).out) as object;
  expect(before).toMatchObject({ bot_services: { unreadable_ids: [bot.id] } });
  const [reencrypted] = await Promise.all([parley(writeNew).ended, traffic.changeEverything()]);
  expect(reencrypted).toMatchObject({ code: 0, error: '' });
  expect(JSON.parse(reencrypted.out)).toMatchObject({ left: 0, bot_services: { current: 1 } });

  const { events } = await client.get('events', {
    queue_id: late['queue_id'],
    last_event_id: late['last_event_id'],
    dont_block: true,
  });
  const loggedKeys = (events as { bot?: { api_key?: string } }[]).map(({ bot: of }) => of?.api_key);
  expect(loggedKeys).toEqual(traffic.botKeys);

  await deploy(cluster, traffic, newAlone, gatewayFirst);
  await traffic.roundPasses();
  await stop();
  expect(traffic.failures).toEqual([]);
  expect(traffic.receivedBotKeys).toEqual(traffic.botKeys);
  expect(await parley(newAlone).ended).toMatchObject({ code: 0 });
  const { api_keys: apiKeys, bot_services: botServices } = await countStoredSecrets(
    organization.maker.pool,
    deriveKeySecrets(second),
  );
  // All people and the bot; nothing needs the old secret.
  expect(apiKeys).toEqual({ current: traffic.people.length + 1, previous: 0, unreadable: [] });
  expect(botServices).toEqual({ current: 1, previous: 0, unreadable: [] });
  const { messages } = await client.get('messages', {
    anchor: 'newest',
    num_before: 5_000,
    num_after: 0,
    narrow: [['topic', 'rotation']],
  });
  expect(messages).toHaveLength(traffic.sent);
});
