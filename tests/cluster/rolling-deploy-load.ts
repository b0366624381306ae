/** The actions of clients while every process of the system is replaced: they send, change, read and follow. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { DeliveryLedger, TestOrganization, waitUntil } from '@parley/test-kit';
import type { Answer, ApiClient, Cluster, Method, Parameters, TestAccount } from '@parley/test-kit';

import { DeployFollower } from './rolling-deploy-follower.ts';

const peopleCount = 10;
const quietPeopleCount = 6;
const queuesPerPerson = 2;
const sendersCount = 3;
const streamName = 'everybody';
/** Keeps the load below the capacity of two cores with ten processes and the start of an eleventh. */
const pauseMs = 40;
const pauseBeforeRetryMs = 100;

type Request = readonly [method: Method, path: string, parameters?: Parameters];

export class DeployLoad {
  readonly ledger = new DeliveryLedger();
  /** Everything that a client noticed and one retry of the same request did not hide. */
  readonly faults: string[] = [];
  /** Requests that had to be repeated. */
  repeated = 0;
  /** Accounts that receive messages all the time. */
  followers: readonly DeployFollower[] = [];
  /** Accounts without events, whose polls are held throughout: each process that leaves holds some of them. */
  quietFollowers: readonly DeployFollower[] = [];
  readonly #organization: TestOrganization;
  readonly #administrator: TestAccount;
  readonly #people: readonly TestAccount[];
  readonly #streamId: number;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #changes: string[] = [];
  #lastMessageId: number | undefined;
  #sends = 0;

  /**
   * Creates the organization, registers the queues and starts the load.
   *
   * @param gatewayUrls the addresses that clients use in turn; the test updates this list when it replaces a gateway
   */
  static async start(cluster: Cluster, gatewayUrls: readonly string[]): Promise<DeployLoad> {
    const organization = await TestOrganization.create(cluster.settings, () => gatewayUrls);
    const administrator = await organization.makeAccount('Ada Admin', { role: 'administrator' });
    const people = await organization.makeAccounts(
      Array.from({ length: peopleCount }, (_, n) => `Person ${n}`),
    );
    const stream = await organization.makeStream(streamName, [administrator, ...people]);
    const load = new DeployLoad(organization, administrator, people, stream.id);
    load.followers = await Promise.all(
      people.flatMap((person) =>
        Array.from({ length: queuesPerPerson }, () =>
          DeployFollower.open(person.client, person.id, load.ledger),
        ),
      ),
    );
    const quietPeople = await organization.makeAccounts(
      Array.from({ length: quietPeopleCount }, (_, n) => `Quiet ${n}`),
    );
    load.quietFollowers = await Promise.all(
      quietPeople.flatMap((person) =>
        Array.from({ length: queuesPerPerson }, () =>
          DeployFollower.open(person.client, person.id, load.ledger, ['message']),
        ),
      ),
    );
    load.#begin();
    return load;
  }

  private constructor(
    organization: TestOrganization,
    administrator: TestAccount,
    people: readonly TestAccount[],
    streamId: number,
  ) {
    this.#organization = organization;
    this.#administrator = administrator;
    this.#people = people;
    this.#streamId = streamId;
  }

  get everyFollower(): readonly DeployFollower[] {
    return [...this.followers, ...this.quietFollowers];
  }

  /** How many changes of each kind were acknowledged, so that a test can check that there was load. */
  get acknowledged(): { readonly sends: number; readonly changes: number } {
    return { sends: this.ledger.acknowledgedCount, changes: this.#changes.length };
  }

  /** Stops sending and changing, waits until every follower has all events, and returns the ledger's verdict. */
  async settle(): Promise<void> {
    await this.#stopCallers();
    try {
      await waitUntil(
        'every queue has every message and change',
        () =>
          this.ledger.hasAllReceipts() &&
          this.followers.every(({ changes }) => changes.length >= this.#changes.length),
      );
    } finally {
      await Promise.all(this.everyFollower.map((follower) => follower.stop()));
      this.ledger.check();
    }
    const acknowledged = this.#changes.toSorted();
    for (const { changes, record } of this.followers) {
      if (changes.toSorted().join('\n') !== acknowledged.join('\n'))
        this.faults.push(`queue ${record.name} did not get each change once`);
    }
    this.faults.push(...this.everyFollower.flatMap(({ faults }) => faults));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopCallers();
    await Promise.all(this.everyFollower.map((follower) => follower.stop()));
    await this.#organization.close();
  }

  async #stopCallers(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #begin(): void {
    const [reader] = this.#people;
    if (reader === undefined) throw new Error('there are people');
    for (const person of this.#people.slice(0, sendersCount))
      this.#repeat(() => this.#send(person.client));
    this.#repeat((n) => this.#change(n));
    const reads: readonly Request[] = [
      ['GET', 'messages', { anchor: 'newest', num_before: 5, num_after: 0 }],
      ['GET', 'users/me/subscriptions'],
      ['GET', 'users/me'],
      ['POST', 'users/me/presence', { status: 'active', ping_only: true }],
      ['POST', 'typing', { op: 'start', to: [this.#administrator.id] }],
    ];
    for (const request of reads) this.#repeat(() => this.#call(reader.client, request));
    this.#repeat(() => this.#registerAndDelete(reader.client));
  }

  #repeat(act: (n: number) => Promise<unknown>): void {
    const run = async (): Promise<void> => {
      for (let n = 0; !this.#stopping.signal.aborted; n += 1) {
        try {
          await act(n);
        } catch (error) {
          this.faults.push(String(error));
          return;
        }
        await delay(pauseMs);
      }
    };
    this.#running.push(run());
  }

  async #send(client: ApiClient): Promise<void> {
    const content = `message ${this.#sends++}`;
    this.ledger.attempt(
      content,
      this.#people.map(({ id }) => id),
    );
    const { body } = await this.#call(
      client,
      ['POST', 'messages', { type: 'stream', to: streamName, topic: 'deploy', content }],
      { 'idempotency-key': randomUUID() },
    );
    const id = body['id'] as number;
    this.#lastMessageId = id;
    this.ledger.acknowledge(content, id);
  }

  /** One change at a time in each service that makes changes. A retry of a change that was made is refused. */
  async #change(n: number): Promise<void> {
    const { client, id } = this.#administrator;
    const name = `crew ${n}`;
    await this.#call(client, [
      'POST',
      'user_groups/create',
      { name, description: 'who deploys', members: [id] },
    ]);
    this.#changes.push(`group ${name}`);
    const description = `description ${n}`;
    await this.#call(client, [
      'PATCH',
      `streams/${this.#streamId}`,
      { description: JSON.stringify(description) },
    ]);
    this.#changes.push(`description ${description}`);
    const messageId = this.#lastMessageId;
    if (messageId === undefined) return;
    const emoji = ['smile', 'tada', 'heart'][n % 3] ?? 'smile';
    const change = `reaction ${messageId} ${emoji}`;
    if (this.#changes.includes(change)) return;
    await this.#call(client, ['POST', `messages/${messageId}/reactions`, { emoji_name: emoji }]);
    this.#changes.push(change);
  }

  async #registerAndDelete(client: ApiClient): Promise<void> {
    const { body } = await this.#call(client, ['POST', 'register', { event_types: ['message'] }]);
    const queue = { queue_id: body['queue_id'], last_event_id: body['last_event_id'] };
    await this.#call(client, ['GET', 'events', { ...queue, dont_block: true }]);
    await this.#call(client, ['DELETE', 'events', { queue_id: queue.queue_id }]);
  }

  /**
   * Makes a request, and repeats it once if it fails.
   *
   * @throws Error if it failed twice, or was refused
   */
  async #call(
    client: ApiClient,
    [method, path, parameters = {}]: Request,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const attempt = async (): Promise<Answer | string> => {
      try {
        const answer = await client.request(method, path, parameters, { headers });
        return answer.status >= 500 ? `${answer.status} ${JSON.stringify(answer.body)}` : answer;
      } catch (error) {
        return String(error);
      }
    };
    const first = await attempt();
    if (typeof first !== 'string') return checkSuccess(method, path, first, '');
    this.repeated += 1;
    await delay(pauseBeforeRetryMs);
    const second = await attempt();
    if (typeof second === 'string')
      throw new Error(`${method} ${path} failed twice: ${first}; ${second}`);
    return checkSuccess(method, path, second, first);
  }
}

function checkSuccess(method: Method, path: string, answer: Answer, before: string): Answer {
  if (answer.status === 200) return answer;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)} ${before}`);
}
