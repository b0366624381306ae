import { setTimeout as delay } from 'node:timers/promises';

import { DeliveryLedger, QueueFollower, makeOrganization, waitUntil } from '@parley/test-kit';
import type { Cluster, Parameters, TestAccount, TestOrganization } from '@parley/test-kit';

const peopleCount = 25;
const queuesPerPerson = 2;
const sendersCount = 8;
// Far above the time of delivery on a busy machine, because speed is not tested here.
// If a gateway finds no service, the sender tries its next message after a moment.
const pauseAfterFailureMs = 50;

/** A sender's destination, and who is entitled to its messages. */
type Destination = { readonly parameters: Parameters; readonly entitledIds: readonly number[] };

/**
 * The workload of the delivery tests: 25 people with two followed queues each; a public stream with all of them, one with half of
 * them, a private one for a few; and private messages. A ledger records what is sent and received.
 */
export class DeliveryScenario {
  readonly ledger = new DeliveryLedger();
  readonly people: readonly TestAccount[];
  readonly #organization: TestOrganization;
  readonly #streams: readonly { readonly name: string; readonly members: readonly TestAccount[] }[];
  readonly #run = Math.random().toString(36).slice(2, 8);
  #followers: readonly QueueFollower[] = [];
  #sendsStarted = 0;

  /**
   * Creates the organization, registers the queues and begins to follow them.
   *
   * @param gatewayUrls the gateways that clients use, by default all
   */
  static async open(
    cluster: Cluster,
    gatewayUrls?: () => readonly string[],
  ): Promise<DeliveryScenario> {
    const organization = await makeOrganization(cluster, gatewayUrls);
    const people = await organization.makeAccounts(
      Array.from({ length: peopleCount }, (_, n) => `Person ${n}`),
    );
    const streams = [
      { name: 'everybody', members: people, inviteOnly: false },
      { name: 'half', members: people.filter((_person, n) => n % 2 === 0), inviteOnly: false },
      { name: 'few', members: people.slice(0, sendersCount + 2), inviteOnly: true },
    ];
    for (const { name, members, inviteOnly } of streams)
      await organization.makeStream(name, members, { inviteOnly });
    const scenario = new DeliveryScenario(organization, people, streams);
    scenario.#followers = await Promise.all(
      people.flatMap((person) =>
        Array.from({ length: queuesPerPerson }, () =>
          QueueFollower.open(person.client, person.id, scenario.ledger),
        ),
      ),
    );
    return scenario;
  }

  private constructor(
    organization: TestOrganization,
    people: readonly TestAccount[],
    streams: readonly { readonly name: string; readonly members: readonly TestAccount[] }[],
  ) {
    this.#organization = organization;
    this.people = people;
    this.#streams = streams;
  }

  /** For additional accounts, which get nothing that the scenario sends. */
  get organization(): TestOrganization {
    return this.#organization;
  }

  /** The senders, who are in every stream. */
  get senders(): readonly TestAccount[] {
    return this.people.slice(0, sendersCount);
  }

  get followers(): readonly QueueFollower[] {
    return this.#followers;
  }

  /** The event nodes that have answered a poll, by the name they give. */
  get answeringNodes(): ReadonlySet<string> {
    return new Set(this.#followers.flatMap(({ lastNode }) => lastNode ?? []));
  }

  /**
   * Sends from 8 concurrent senders, each waiting for its answer before its next send, until this many are acknowledged. Sends
   * without an answer, or refused with a 5xx, stay open in the ledger and are not repeated.
   *
   * @throws Error if a send is refused for another reason
   */
  async sendUntilAcknowledged(count: number): Promise<void> {
    const target = this.ledger.acknowledgedCount + count;
    let acknowledged = target - count;
    const run = async (sender: TestAccount): Promise<void> => {
      while (acknowledged < target) {
        // Counted before the answer, so that the senders together do not send more than requested.
        acknowledged += 1;
        if (await this.sendOne(sender)) continue;
        acknowledged -= 1;
        await delay(pauseAfterFailureMs);
      }
    };
    await Promise.all(this.senders.map((sender) => run(sender)));
  }

  /**
   * Sends one message, to each stream and to people in turn.
   *
   * @returns whether it was acknowledged
   */
  async sendOne(sender: TestAccount): Promise<boolean> {
    const number = this.#sendsStarted++;
    const content = `${this.#run} ${number}`;
    const { parameters, entitledIds } = this.#chooseDestination(sender, number);
    this.ledger.attempt(content, entitledIds);
    let answer;
    try {
      answer = await sender.client.request('POST', 'messages', { ...parameters, content });
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('bad answer')) throw error;
      return false;
    }
    if (answer.status >= 500) return false;
    if (answer.body['result'] !== 'success')
      throw new Error(`a send was refused: ${JSON.stringify(answer.body)}`);
    this.ledger.acknowledge(content, answer.body['id'] as number);
    return true;
  }

  /** Whether a message with this scenario's content is committed, for each send that was started. */
  async countCommitted(): Promise<number> {
    const { rows } = await this.#organization.maker.pool.query<{ count: number }>(
      'SELECT count(*) AS count FROM messages WHERE content LIKE $1',
      [`${this.#run} %`],
    );
    return rows[0]?.count ?? 0;
  }

  /** How many sends were started, whatever their outcome. */
  get sendsStarted(): number {
    return this.#sendsStarted;
  }

  /** Waits until every queue has its messages, polls each once more for unexpected ones, and returns the verdict. */
  async settle(): Promise<void> {
    try {
      await waitUntil('every queue has every acknowledged message', () => this.#isSettled(), {
        pauseMs: 100,
      });
    } finally {
      await Promise.all(this.#followers.map((follower) => follower.stop()));
      this.ledger.check();
    }
    await Promise.all(this.#followers.map((follower) => follower.pollOnce()));
    this.ledger.check();
  }

  async close(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
    await this.#organization.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Also true once a fault is certain, which the verdict then reports. */
  #isSettled(): boolean {
    return (
      this.ledger.hasAllReceipts() || this.ledger.queues.some(({ faults }) => faults.length > 0)
    );
  }

  #chooseDestination(sender: TestAccount, number: number): Destination {
    const turn = number % (this.#streams.length + 2);
    const stream = this.#streams[turn];
    if (stream !== undefined) {
      return {
        parameters: { type: 'stream', to: stream.name, subject: `topic ${number % 7}` },
        entitledIds: stream.members.map(({ id }) => id),
      };
    }
    const others = Array.from(
      { length: turn - this.#streams.length + 1 },
      (_, n) => this.people[(number * 3 + n * 11) % this.people.length],
    ).filter((person) => person !== undefined);
    return {
      parameters: { type: 'private', to: others.map(({ email }) => email) },
      entitledIds: [sender.id, ...others.map(({ id }) => id)],
    };
  }
}
