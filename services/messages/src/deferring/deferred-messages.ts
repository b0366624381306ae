/**
 * Messages that are sent later (reference facts, messages 3.2; decision 0023). A request is checked like a send and stored. When it is due,
 * the message is sent like any other, with the sender's permissions at that time.
 *
 * A message is sent under the key of its row, and the row is deleted afterwards. So a process that finds the row of a sent message sends
 * nothing. Any number of processes may take rows. Only a row that no process has taken can be cancelled.
 *
 * The sender sees the rows: each that is added or deleted is an event for that account.
 */
import { lockOwnAccount } from '@parley/store/access';
import { ApiError, badRequest, idempotencyKeyReused, limits } from '@parley/api';
import { pauseShortly } from '@parley/clock';
import type { Clock } from '@parley/clock';
import { codeBlock, mention, notice, systemClientName } from '@parley/composing';
import type { CheckedMessage } from '@parley/composing';
import type { Client, Pool } from '@parley/database';
import { ownEventsEntry } from '@parley/event-log';
import type { Append, EventLog } from '@parley/event-log';
import { scheduledMessageJson } from '@parley/store/objects';
import { isStoreFailure } from '@parley/server';
import type { Logger } from '@parley/telemetry/logging';
import {
  addDeferredMessage,
  cancelDeferredMessage,
  measureDeferredMessages,
  findDeferredMessage,
  findNotificationBot,
  findUserById,
  lockUserForOwnChange,
  removeDeferredMessage,
  takeDueDeferredMessage,
} from '@parley/store';
import type { DeferredMessage, User, WaitingMessage } from '@parley/store';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

import type { MessageRequest, MessageSender, SendRequest } from '../sending/send.ts';
import { makeSendKey } from '../sending/send-key.ts';
import type { SendKey } from '../sending/send-key.ts';
import { readDeliveryTime, writeDeliveryTime } from './delivery-time.ts';

/** How long a request with an unknown outcome is held. */
const unknownDeadlineMs = 50_000;
const retryWaitMs = 100;

/** Leaves a notice room for more than the text of the message. */
const quotedMaxCodePoints = 9_000;

/** A requested send that is to happen later. */
export type DeferredRequest = SendRequest & {
  /** `send_later` or `remind`. */
  readonly deliveryType: string;
  readonly deliverAt: string | undefined;
  readonly tzGuess: string | undefined;
};

export type DeferredMessagesOptions = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly sender: MessageSender;
  readonly log: Logger;
  readonly registry: Registry;
};

/** Clients show a widget instead of the text, which would hide the line that says who asked. */
function checkReminder(message: CheckedMessage, { widgetContent }: DeferredRequest): void {
  if (message.kind === 'private' && message.participants.length > 1)
    throw badRequest('Reminders can only be set for streams.');
  if (widgetContent !== undefined) throw badRequest('Widgets: a reminder has none');
}

/** Ids, because a stream or a person may have another name by then. */
function recipientsOf(
  message: CheckedMessage,
): Pick<DeferredMessage, 'streamId' | 'participantIds' | 'topic'> {
  return message.kind === 'stream'
    ? { streamId: message.stream.id, participantIds: null, topic: message.topic }
    : { streamId: null, participantIds: message.participants.map(({ id }) => id), topic: '' };
}

function requestOf(message: DeferredMessage): MessageRequest {
  const { senderId, streamId, participantIds, topic, content, widgetContent } = message;
  return {
    senderId,
    ...(streamId === null
      ? { type: 'private', to: { kind: 'ids', ids: participantIds ?? [] }, topic: undefined }
      : { type: 'stream', to: { kind: 'ids', ids: [streamId] }, topic }),
    content,
    widgetContent: widgetContent ?? undefined,
  };
}

function reminderText(asker: User, message: DeferredMessage): string {
  if (message.streamId === null) return message.content;
  // A system bot's message to others must not look like the system's own words; the mention alerts the person who asked.
  return `${notice`${mention(asker)} asked for this reminder:`.content}\n\n${message.content}`;
}

function addition(message: WaitingMessage): Append {
  const scheduled = scheduledMessageJson(message);
  return {
    entries: [
      ownEventsEntry(message.senderId, [
        { type: 'scheduled_messages', op: 'add', scheduled_messages: [scheduled] },
      ]),
    ],
  };
}

function removal({ id, senderId }: Pick<DeferredMessage, 'id' | 'senderId'>): Append {
  return {
    entries: [
      ownEventsEntry(senderId, [
        { type: 'scheduled_messages', op: 'remove', scheduled_message_id: id },
      ]),
    ],
  };
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

export class DeferredMessages {
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #eventLog: EventLog;
  readonly #sender: MessageSender;
  readonly #log: Logger;
  readonly #deliveries: Counter<'outcome'>;

  constructor({ clock, pool, eventLog, sender, log, registry }: DeferredMessagesOptions) {
    this.#clock = clock;
    this.#pool = pool;
    this.#eventLog = eventLog;
    this.#sender = sender;
    this.#log = log;
    this.#deliveries = new Counter({
      name: 'parley_deferred_messages_total',
      help: 'Deferred messages that were due, by outcome (sent, refused, failed and to be retried)',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /**
   * Stores a message until its time.
   *
   * @returns the time, in ISO 8601 with an offset; for a repeat too while the message waits, and a day after it was sent
   * @throws ApiError for an invalid time, for any refusal of a send, 409 for a key used for another message
   */
  async defer(request: DeferredRequest): Promise<string> {
    const { senderId: userId, deliveryType, deliverAt, tzGuess } = request;
    if (deliverAt === undefined)
      throw badRequest('Missing deliver_at in a request for delayed message delivery');
    const time = await readDeliveryTime(
      deliverAt,
      tzGuess,
      async () => (await findUserById(this.#pool, userId))?.timezone,
    );
    if (time === undefined) throw badRequest('Invalid time format');
    const sendKey = makeSendKey(
      { ...request, userId },
      { ...request, delivery: { type: deliveryType, at: deliverAt, tzGuess } },
    );
    // A stored message stays stored: a repeat succeeds even if the request would be refused now.
    const earlier = await findDeferredMessage(this.#pool, sendKey);
    if (earlier === undefined) await this.#store(request, sendKey, time);
    else if (earlier === 'other') throw idempotencyKeyReused();
    return writeDeliveryTime(time);
  }

  async #store(
    request: DeferredRequest,
    sendKey: SendKey,
    { epochMilliseconds: deliverAtMs }: Temporal.ZonedDateTime,
  ): Promise<void> {
    if (deliverAtMs <= this.#clock.nowMs()) throw badRequest('Time must be in the future.');
    const isReminder = request.deliveryType === 'remind';
    const { message, renderedContent } = await this.#sender.check(request);
    if (isReminder) checkReminder(message, request);
    await this.#retryWhileUnknown(sendKey, async (client) => {
      // One at a time per account, so that the count is right and a concurrent repeat is noticed.
      await lockUserForOwnChange(client, request.senderId);
      const earlier = await findDeferredMessage(client, sendKey);
      if (earlier === 'same') return undefined;
      if (earlier === 'other') throw idempotencyKeyReused();
      const { waiting, bytes } = await measureDeferredMessages(client, request.senderId);
      if (waiting >= limits.deferredMessagesMax)
        throw badRequest(
          `Too many messages are waiting for their delivery (limit: ${limits.deferredMessagesMax}).`,
        );
      const added = Buffer.byteLength(message.content) + Buffer.byteLength(renderedContent);
      const textsMax = limits.deferredTextsMaxBytes;
      if (waiting > 0 && bytes + added > textsMax)
        throw badRequest(
          `The messages that are waiting for their delivery may have at most ${textsMax} bytes with their HTML.`,
        );
      const stored = await addDeferredMessage(
        client,
        {
          sendKey: sendKey.key,
          contentHash: sendKey.contentHash,
          senderId: request.senderId,
          isReminder,
          ...recipientsOf(message),
          content: message.content,
          renderedContent,
          widgetContent: request.widgetContent ?? null,
          clientName: request.clientName,
        },
        deliverAtMs,
      );
      return addition(stored);
    });
  }

  /**
   * Repeats a store whose outcome is unknown: a client without a key could only store it twice.
   *
   * @param store returns what its transaction appends to the log
   */
  async #retryWhileUnknown(
    { isClients }: SendKey,
    store: (client: Client) => Promise<Append | undefined>,
  ): Promise<void> {
    const givenUpAtMs = this.#clock.elapsedMs() + (isClients ? 0 : unknownDeadlineMs);
    for (;;) {
      try {
        await this.#eventLog.transaction(async (client) => {
          const append = await store(client);
          return { result: undefined, ...(append && { append }) };
        });
        return;
      } catch (error) {
        if (!isStoreFailure(error) || this.#clock.elapsedMs() >= givenUpAtMs) throw error;
      }
      await pauseShortly(this.#clock, retryWaitMs);
    }
  }

  /**
   * Cancels a waiting message of an account, which is then never sent.
   *
   * @throws ApiError if it is not there any more or being sent, or belongs to another account
   */
  async cancel(id: number, senderId: number): Promise<void> {
    await this.#eventLog.transaction(async (client) => {
      await lockOwnAccount(client, { userId: senderId });
      const outcome = await cancelDeferredMessage(client, { id, senderId });
      if (outcome === 'unknown') throw badRequest('Scheduled message does not exist');
      if (outcome === 'taken') throw badRequest('Scheduled message is already being sent');
      return { result: undefined, append: removal({ id, senderId }) };
    });
  }

  async #remove(message: DeferredMessage): Promise<void> {
    await this.#eventLog.transaction(async (client) => {
      const isRemoved = await removeDeferredMessage(client, message.id);
      return { result: undefined, ...(isRemoved && { append: removal(message) }) };
    });
  }

  /**
   * Delivers one due message, or notifies its sender of the refusal. A failed delivery is repeated later.
   *
   * @returns false when there was none
   */
  async deliverNext(): Promise<boolean> {
    const message = await takeDueDeferredMessage(this.#pool);
    if (message === undefined) return false;
    try {
      const refusal = await this.#deliver(message);
      if (refusal !== undefined) await this.#notifySender(message, refusal);
      await this.#remove(message);
      this.#deliveries.inc({ outcome: refusal === undefined ? 'sent' : 'refused' });
    } catch (error) {
      this.#deliveries.inc({ outcome: 'failed' });
      this.#log.warn(
        { err: error, id: message.id },
        'delivering a deferred message failed; it is tried again',
      );
    }
    return true;
  }

  /** @returns the refusal, if it may no longer be sent */
  async #deliver(message: DeferredMessage): Promise<ApiError | undefined> {
    const { sendKey: key, contentHash } = message;
    // A message that was sent by a process that ended before deleting the row is found by its key and not sent again, even if it would be
    // refused now.
    const sendKey: SendKey = { key, contentHash, isClients: true };
    try {
      await (message.isReminder ? this.#remind(message, sendKey) : this.#send(message, sendKey));
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return error;
      throw error;
    }
  }

  async #send(message: DeferredMessage, sendKey: SendKey): Promise<void> {
    const { clientName } = message;
    await this.#sender.sendWithKey({ ...requestOf(message), clientName }, sendKey);
  }

  /** The notification bot sends it, but only with text and recipients that the requester may use. */
  async #remind(message: DeferredMessage, sendKey: SendKey): Promise<void> {
    const [bot, asker] = await Promise.all([
      findNotificationBot(this.#pool),
      findUserById(this.#pool, message.senderId),
    ]);
    if (bot === undefined || asker === undefined) throw new Error('who reminds or asked is gone');
    await this.#sender.sendWithKey(
      {
        ...requestOf(message),
        senderId: bot.id,
        content: reminderText(asker, message),
        clientName: systemClientName,
        namedAs: asker.id,
        allowedTo: asker.id,
      },
      sendKey,
    );
  }

  /** For a bot, notifies its owner. */
  async #notifySender(message: DeferredMessage, refusal: ApiError): Promise<void> {
    const [bot, account] = await Promise.all([
      findNotificationBot(this.#pool),
      findUserById(this.#pool, message.senderId),
    ]);
    if (bot === undefined || account?.isActive !== true) return;
    const recipientId = account.botOwnerId ?? account.id;
    const whose =
      recipientId === account.id ? notice`Your` : notice`For your bot ${account.email} a`;
    const what =
      message.streamId === null
        ? notice`private message`
        : notice`message in the topic ${message.topic}`;
    await this.#sender
      .sendSystemMessage({
        senderId: bot.id,
        type: 'private',
        toId: recipientId,
        content: notice`${whose} ${what} was not sent at its time: ${refusal.message}\n\n${codeBlock(message.content, quotedMaxCodePoints)}`,
        key: `deferred-message-${message.id}`,
      })
      .catch((error: unknown) => {
        // The recipient no longer has an active account.
        if (!isRefusal(error)) throw error;
      });
  }
}
