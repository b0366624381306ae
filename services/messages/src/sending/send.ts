import { randomUUID } from 'node:crypto';

import { ApiError, idempotencyKeyReused, serviceUnavailable } from '@parley/api';
import { composeMessage, composeText, noLinkifiers, systemClientName } from '@parley/composing';
import type { Clock } from '@parley/clock';
import type {
  CheckedMessage,
  ComposedText,
  NewSubmessage,
  Notice,
  RealmFactsReader,
} from '@parley/composing';
import type { Pool } from '@parley/database';
import {
  drawSubmessageId,
  ensurePrivateConversation,
  ensureTopicConversation,
  findClaimableUploads,
  findMessageOfSendKey,
} from '@parley/store';
import type { NamedInMessage } from '@parley/store';

import { uploadsOfSend } from '../files/attachment-events.ts';
import type { MessageRenderer } from '../rendering/message-renderer.ts';
import type { BatchWriter } from './batch-writer.ts';
import { BotOwnerNotices } from './bot-owner-notices.ts';
import type { BotOwnerNoticesOptions, SystemNotice } from './bot-owner-notices.ts';
import { checkMessage } from './check-message.ts';
import type { NewMessage, SendChecks } from './check-message.ts';
import { findNames } from './render-names.ts';
import { makeSendKey } from './send-key.ts';
import type { SendKey } from './send-key.ts';
import { openSendReads } from './send-reads.ts';
import { findWidget } from './widgets.ts';
import type { WidgetSubmessage } from './widgets.ts';

/** A message to check before it is sent. */
export type MessageRequest = NewMessage & {
  /** JSON text, checked after permission and before rendering. */
  readonly widgetContent?: string | undefined;
};

/** A send with a key made elsewhere. */
export type KeyedSend = MessageRequest & {
  readonly clientName: string;
  readonly queueId?: string | undefined;
  readonly localId?: string | undefined;
  /** Whether its sender has read it; by default as the client says. */
  readonly isReadBySender?: boolean;
  /** The people besides the sender for whom it is read from the start. */
  readonly readByIds?: readonly number[];
  /** The account whose access decides which streams the text may name and which files it may share; by default the sender. */
  readonly namedAs?: number;
  /** All names in a text of the server's own; linkifiers find nothing in it. */
  readonly named?: NamedInMessage;
  /** Another account that must also be allowed to send it. */
  readonly allowedTo?: number;
};

/** A send as in its request. */
export type SendRequest = KeyedSend & {
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly queueId: string | undefined;
  readonly localId: string | undefined;
};

/** A message of a system bot. */
export type SystemMessage = {
  readonly senderId: number;
  /** The id of the stream or person. */
  readonly toId: number;
  readonly content: Notice;
  /** Identifies the send, so that repeating it within a day is harmless. */
  readonly key: string;
  readonly readByIds?: readonly number[];
} & (
  | { readonly type: 'stream'; readonly topic: string; readonly tellsOfPast?: boolean }
  | { readonly type: 'private'; readonly topic?: undefined }
);

// If a stream or an account changes faster than a message can be checked, it is an attack or a fault.
const checksMax = 5;

/** Sends messages: checks and renders them, and gives them to the batch writer until the outcome is known. */
export class MessageSender {
  readonly #clock: Clock;
  readonly #pool: Pool;
  readonly #checks: SendChecks;
  readonly #writer: BatchWriter;
  readonly #publicUrl: string;
  readonly #realmFacts: RealmFactsReader;
  readonly #renderer: MessageRenderer;
  readonly #notices: BotOwnerNotices;

  constructor(
    options: Omit<BotOwnerNoticesOptions, 'send'> & {
      readonly clock: Clock;
      readonly pool: Pool;
      readonly writer: BatchWriter;
      readonly publicUrl: string;
      readonly realmFacts: RealmFactsReader;
      readonly renderer: MessageRenderer;
      readonly participantsMax: number;
    },
  ) {
    const { clock, pool, realmFacts } = options;
    this.#clock = clock;
    this.#pool = pool;
    this.#checks = {
      ...openSendReads(clock, pool, realmFacts),
      participantsMax: options.participantsMax,
    };
    this.#writer = options.writer;
    this.#publicUrl = options.publicUrl;
    this.#realmFacts = options.realmFacts;
    this.#renderer = options.renderer;
    this.#notices = new BotOwnerNotices({ ...options, send: (notice) => this.#sendNotice(notice) });
  }

  /**
   * Sends a message.
   *
   * @returns its id; for a repeated send the id of the first
   * @throws ApiError for refusals of `checkMessage`; `Unable to render message`; 409 for a key used for another message; 503
   */
  async send(request: SendRequest): Promise<number> {
    const { senderId: userId, requestId, idempotencyKey, queueId, localId } = request;
    return this.sendWithKey(
      request,
      makeSendKey({ userId, requestId, idempotencyKey, queueId, localId }, request),
    );
  }

  /**
   * Sends a message under a key that was made before.
   *
   * @returns its id; for a repeated key the id of the first
   * @throws ApiError as for `send`
   */
  async sendWithKey(request: KeyedSend, sendKey: SendKey): Promise<number> {
    try {
      for (let check = 1; check <= checksMax; check += 1) {
        const id = await this.#trySend(request, sendKey).catch((error: unknown) =>
          this.#findEarlier(sendKey, error),
        );
        if (id !== undefined) return id;
      }
    } catch (error) {
      this.#notices.afterFailure(request, error);
      throw error;
    }
    throw serviceUnavailable();
  }

  /**
   * Makes the same refusals as `send` and changes nothing. For requests of several messages, which send none if one is bad, and for
   * messages that are sent later.
   *
   * @returns the message as it would be sent, and its HTML
   * @throws ApiError for refusals of `checkMessage`; `Widgets: …`; `Unable to render message`
   */
  async check(
    request: MessageRequest,
  ): Promise<{ readonly message: CheckedMessage; readonly renderedContent: string }> {
    const message = await checkMessage(this.#checks, request).catch((error: unknown) => {
      this.#notices.afterFailure(request, error);
      throw error;
    });
    findWidget(message.content, request.widgetContent);
    const named = await findNames(this.#pool, message.sender.id, message.content);
    const { rendered } = await this.#textOf(message, named);
    return { message, renderedContent: rendered.html };
  }

  /**
   * Sends a message of a system bot.
   *
   * @returns its id; for a repeated key the id of the first
   * @throws ApiError for refusals of `checkMessage`; 503
   */
  sendSystemMessage(message: SystemMessage): Promise<number> {
    const { toId, key, topic, content, ...rest } = message;
    return this.send({
      ...rest,
      content: content.content,
      named: content.named,
      to: { kind: 'ids', ids: [toId] },
      topic,
      clientName: systemClientName,
      requestId: key,
      idempotencyKey: undefined,
      queueId: undefined,
      localId: undefined,
    });
  }

  #sendNotice({ senderId, recipientId, content }: SystemNotice): Promise<number> {
    return this.sendSystemMessage({
      senderId,
      type: 'private',
      toId: recipientId,
      content,
      key: randomUUID(),
    });
  }

  /** Notifies the owner of a bot, if it has one, of a fault; beside the request, and at most once a minute. */
  notifyBotOwner(botId: number, what: Notice): void {
    this.#notices.tell(botId, what);
  }

  /** Whether no notice to an owner of a bot is in progress. */
  get isIdle(): boolean {
    return this.#notices.isIdle;
  }

  /** Waits for the notices to owners of bots that are in progress. */
  async drain(): Promise<void> {
    await this.#notices.drain();
  }

  /**
   * A sent message stays sent: a repeat succeeds even if the same request would be refused now, because its stream was renamed or its
   * sender is gone.
   *
   * @throws the refusal, if the key has sent nothing
   */
  async #findEarlier(sendKey: SendKey, refusal: unknown): Promise<number> {
    const isRefusal = refusal instanceof ApiError && refusal.status < 500;
    if (!isRefusal || !sendKey.isClients) throw refusal;
    const earlier = await findMessageOfSendKey(this.#pool, sendKey);
    if (earlier === undefined) throw refusal;
    return earlier;
  }

  /** The string id of the organization, for requests that name one. */
  async realmStringId(): Promise<string> {
    return (await this.#realmFacts.get()).stringId;
  }

  /** @returns undefined if the checks no longer held at the message's position in the log */
  async #trySend(request: KeyedSend, sendKey: SendKey): Promise<number | undefined> {
    const message = await this.#checkSend(request);
    const widget = findWidget(message.content, request.widgetContent);
    const namedAs = request.namedAs ?? message.sender.id;
    const [conversation, named, submessages] = await Promise.all([
      this.#conversationOf(message),
      request.named ?? findNames(this.#pool, namedAs, message.content),
      this.#submessagesOf(widget),
    ]);
    const realm =
      request.named === undefined ? message.realm : { ...message.realm, linkifiers: noLinkifiers };
    const text = await this.#textOf(message, named, realm);
    const claimed = await findClaimableUploads(
      this.#pool,
      namedAs,
      text.rendered.attachmentPathIds,
      message.kind === 'stream'
        ? { streamId: message.stream.id }
        : { participantIds: message.participants.map((person) => person.id) },
    );
    const { queueId, localId } = request;
    const sentAtSecs = Math.floor(this.#clock.nowMs() / 1000);
    const item = composeMessage({
      message,
      conversation,
      text,
      sendKey,
      clientName: request.clientName,
      isReadBySender: request.isReadBySender,
      sentAtSecs,
      submessages,
      readByIds: request.readByIds ?? [],
      uploadPathIds: claimed.map(({ pathId }) => pathId),
      local: queueId === undefined || localId === undefined ? undefined : { queueId, localId },
    });
    const { outcome, messageId } = await this.#writer.send(
      { ...item, ...uploadsOfSend(claimed, sentAtSecs) },
      sendKey.isClients,
    );
    if (outcome === 'reused') throw idempotencyKeyReused();
    if (outcome === 'sent') this.#notices.afterSend(message);
    return outcome === 'stale' ? undefined : messageId;
  }

  /** If another account must be allowed to send a message too, the message depends on that account's subscription at its position. */
  async #checkSend(request: KeyedSend): Promise<CheckedMessage> {
    const message = await checkMessage(this.#checks, request);
    if (request.allowedTo === undefined) return message;
    const allowed = await checkMessage(this.#checks, { ...request, senderId: request.allowedTo });
    return message.kind === 'stream' && allowed.kind === 'stream'
      ? { ...message, authorityId: allowed.authorityId }
      : message;
  }

  #textOf(
    message: CheckedMessage,
    named: NamedInMessage,
    realm = message.realm,
  ): Promise<ComposedText> {
    return composeText(message.content, {
      sender: message.sender,
      realm,
      realmUri: this.#publicUrl,
      named,
      renderer: this.#renderer,
    });
  }

  async #submessagesOf(widget: WidgetSubmessage | undefined): Promise<NewSubmessage[]> {
    return widget === undefined ? [] : [{ id: await drawSubmessageId(this.#pool), ...widget }];
  }

  async #conversationOf(message: CheckedMessage): Promise<{ id: number; recipientId: number }> {
    if (message.kind === 'stream') {
      const { stream, topic } = message;
      const id =
        stream.conversationId ?? (await ensureTopicConversation(this.#pool, stream.id, topic));
      return { id, recipientId: stream.recipientId };
    }
    const { participants, sender } = message;
    const found =
      message.conversation ??
      (await ensurePrivateConversation(
        this.#pool,
        participants.map((person) => person.id),
      ));
    // The other one of two people; a note to oneself has only oneself.
    const addressee = participants.find((person) => person.id !== sender.id) ?? sender;
    return { id: found.id, recipientId: found.recipientId ?? addressee.recipientId };
  }
}
