/** A cluster with outgoing-webhook bots, whose calls a test receives itself. */
import { waitUntil } from '@parley/test-kit';
import type { SystemOptions, TestAccount } from '@parley/test-kit';

import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import type { Message, MessageFixture } from './message-fixture.ts';
import { WebhookReceiver } from './webhook-receiver.ts';
import type { Respond } from './webhook-receiver.ts';

export type OutgoingBot = {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly mention: string;
};

export class OutgoingFixture {
  readonly all: MessageFixture;
  readonly receiver: WebhookReceiver;
  #made = 0;

  private constructor(all: MessageFixture, receiver: WebhookReceiver) {
    this.all = all;
    this.receiver = receiver;
  }

  static async start(options: SystemOptions = {}): Promise<OutgoingFixture> {
    const receiver = await WebhookReceiver.start();
    const all = await startMessageFixture({
      people: 1,
      ...options,
      environment: {
        PARLEY_OUTGOING_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        ...options.environment,
      },
    });
    const { organization, ann, bob, cat } = all;
    await organization.makeStream('plaza', [ann, bob, cat]);
    return new OutgoingFixture(all, receiver);
  }

  /** Creates a bot of Bob's by a request. */
  async makeBot(url: string, parameters: object = {}, owner = this.all.bob): Promise<OutgoingBot> {
    this.#made += 1;
    const name = `Helper ${this.#made}`;
    const made = await owner.client.post('bots', {
      full_name: name,
      short_name: `helper${this.#made}`,
      bot_type: 3,
      payload_url: JSON.stringify(url),
      ...parameters,
    });
    return {
      id: made['user_id'] as number,
      email: made['email'] as string,
      name,
      mention: `@**${name}**`,
    };
  }

  /** Creates a bot whose calls go to a path of its own of the test's service. */
  async makeAnsweringBot(
    respond: Respond,
    parameters: object = {},
  ): Promise<{ readonly bot: OutgoingBot; readonly path: string }> {
    const path = `/bot-${this.#made + 1}`;
    return { bot: await this.makeBot(this.receiver.on(path, respond), parameters), path };
  }

  /** @returns the id of a message to a topic of the stream of all people */
  send(content: string, topic: string, sender: TestAccount = this.all.cat): Promise<number> {
    return sender.client.sendToStream('plaza', topic, content);
  }

  async sendPrivately(
    to: readonly number[],
    content: string,
    sender: TestAccount = this.all.cat,
  ): Promise<number> {
    const sent = await sender.client.post('messages', { type: 'private', to, content });
    return sent['id'] as number;
  }

  /** @returns the bot's messages in a topic, of which there must be at least this many when all calls are finished */
  async saidInTopic(bot: OutgoingBot, topic: string, count = 1): Promise<readonly Message[]> {
    return this.said(
      bot,
      this.all.ann,
      [
        ['stream', 'plaza'],
        ['topic', topic],
      ],
      count,
    );
  }

  /** @returns the bot's messages to a person */
  async privateMessagesFrom(
    bot: OutgoingBot,
    person: TestAccount,
    count = 1,
  ): Promise<readonly Message[]> {
    return this.said(bot, person, [['pm-with', bot.email]], count);
  }

  async said(
    bot: OutgoingBot,
    reader: TestAccount,
    narrow: unknown,
    count = 1,
  ): Promise<readonly Message[]> {
    await this.settle();
    const { messages } = await fetchMessages(reader, { narrow });
    const own = messages.filter((message) => message['sender_id'] === bot.id);
    if (own.length < count)
      throw new Error(`${bot.name} has sent ${own.length} of ${count} messages`);
    return own;
  }

  /** Waits until all calls for the messages so far are finished, and moves the time, if it can be moved, to the repetitions of those that failed. */
  async settle(): Promise<void> {
    const { cluster, pool } = this.all;
    if (cluster.settings.clock.runs) {
      await this.#waitForCalls();
      return;
    }
    for (;;) {
      await cluster.settle();
      const { rows } = await pool.query<{ dueInMs: number | null }>(
        `SELECT ceil(1000 * extract(epoch FROM min(due_at) - parley_now()))::int AS "dueInMs"
          FROM side_effects WHERE kind = 'outgoing-webhook'`,
      );
      const dueInMs = rows[0]?.dueInMs ?? undefined;
      if (dueInMs === undefined) return;
      await cluster.advance(Math.max(dueInMs, 1));
    }
  }

  async #waitForCalls(): Promise<void> {
    await waitUntil('all calls are done', async () => {
      const { rows } = await this.all.pool.query<{ isSettled: boolean }>(
        `SELECT (SELECT message_position FROM side_effect_cursor)
              >= (SELECT coalesce(max(position), 0) FROM log_entries WHERE brings_calls)
            AND NOT EXISTS (SELECT FROM side_effects WHERE kind = 'outgoing-webhook') AS "isSettled"`,
      );
      return rows[0]?.isSettled;
    });
  }

  async stop(): Promise<void> {
    await this.all.stop();
    await this.receiver.stop();
  }
}
