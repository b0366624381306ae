import { ApiError } from '@parley/api';
import { notice, streamLink, streamName } from '@parley/composing';
import type { CheckedMessage, Notice } from '@parley/composing';
import type { Pool } from '@parley/database';
import type { Logger } from '@parley/telemetry/logging';
import { keyNames } from '@parley/cluster/redis';
import type { Redis } from '@parley/cluster/redis';
import {
  findNotificationBot,
  findOccupiedStreams,
  findUserById,
  knowsOfStream,
} from '@parley/store';
import type { User } from '@parley/store';

import type { NewMessage } from './check-message.ts';

/** A bot's owner gets at most one notice in this time, whatever the bot does (reference facts, messages 3.5). */
const noticeIntervalMs = 60_000;

/** Bounds the work for a bot that fails in a loop; beyond it there is no notice. */
const runningMax = 100;

/** A private message of a system bot. */
export type SystemNotice = {
  readonly senderId: number;
  readonly recipientId: number;
  readonly content: Notice;
};

export type BotOwnerNoticesOptions = {
  readonly pool: Pool;
  readonly redis: Redis;
  readonly keyPrefix: string;
  readonly log: Logger;
  readonly send: (message: SystemNotice) => Promise<unknown>;
};

/**
 * Notifies the owner of a bot, by a private message of the notification bot, that the bot sent to a stream that does not exist or has no
 * subscribers (reference facts, messages 3.5; people 16.2), or that a webhook got an unreadable payload (people 16.3). A notice runs beside
 * the send, which neither waits for it nor fails with it. It reveals no more of a stream than the bot wrote itself, or than its owner may
 * know. Without Redis there is no notice.
 */
export class BotOwnerNotices {
  readonly #options: BotOwnerNoticesOptions;
  readonly #running = new Set<Promise<void>>();

  constructor(options: BotOwnerNoticesOptions) {
    this.#options = options;
  }

  /** Checks a send that failed. */
  afterFailure(message: NewMessage, error: unknown): void {
    if (!(error instanceof ApiError) || error.code !== 'STREAM_DOES_NOT_EXIST') return;
    const [name] = message.to.kind === 'names' ? message.to.names : [];
    const [id] = message.to.kind === 'ids' ? message.to.ids : [];
    const what =
      name === undefined
        ? notice`tried to send a message to the stream with the id ${String(id)}, but that stream does not exist.`
        : notice`tried to send a message to stream ${streamName(name.trim())}, but that stream does not exist. Click [here](#streams/new) to create it.`;
    this.#run(async () => {
      const bot = await findUserById(this.#options.pool, message.senderId);
      if (bot !== undefined) await this.#notify(bot, what);
    });
  }

  /** Checks a message that was sent. */
  afterSend(message: CheckedMessage): void {
    if (message.kind !== 'stream') return;
    const { sender, stream } = message;
    if (sender.botOwnerId === null || stream.senderSubscribed || stream.ownerSubscribed) return;
    const ownerId = sender.botOwnerId;
    this.#run(async () => {
      const { pool } = this.#options;
      if ((await findOccupiedStreams(pool, [stream.id])).has(stream.id)) return;
      if (!(await knowsOfStream(pool, ownerId, stream.id))) return;
      await this.#notify(
        sender,
        notice`sent a message to stream ${streamLink(stream)}, which exists but has no subscribers.`,
      );
    });
  }

  /**
   * Notifies the owner of another fault of a bot.
   *
   * @param what the rest of a sentence that begins with the address of the bot
   */
  tell(botId: number, what: Notice): void {
    this.#run(async () => {
      const bot = await findUserById(this.#options.pool, botId);
      if (bot !== undefined) await this.#notify(bot, what);
    });
  }

  /** Whether no notice is in progress. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Waits for the notices in progress. */
  async drain(): Promise<void> {
    await Promise.all(this.#running);
  }

  #run(work: () => Promise<void>): void {
    if (this.#running.size >= runningMax) return;
    const running = work()
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, "a notice to a bot's owner was not sent"),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #notify(bot: Pick<User, 'id' | 'email' | 'botOwnerId'>, what: Notice): Promise<void> {
    const { pool, redis, keyPrefix, send } = this.#options;
    if (bot.botOwnerId === null) return;
    const [owner, notificationBot] = await Promise.all([
      findUserById(pool, bot.botOwnerId),
      findNotificationBot(pool),
    ]);
    if (owner?.isActive !== true || notificationBot === undefined) return;
    const key = keyNames(keyPrefix, redis).botOwnerNotice(bot.id);
    if ((await redis.set(key, '1', 'PX', noticeIntervalMs, 'NX')) === null) return;
    await send({
      senderId: notificationBot.id,
      recipientId: owner.id,
      content: notice`Your bot ${bot.email} ${what}`,
    });
  }
}
