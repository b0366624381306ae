/**
 * Messages on their way to the server. Each is kept in the browser until the server has it, and sent with one key, so that no repeat, by
 * whichever tab and after whichever failure, sends it twice.
 */
import type { ReadonlySignal } from '@preact/signals';
import { ApiError } from '@parley/client';
import type { Requests } from '@parley/client';

import { texts } from '../texts.ts';
import { recipientsOf } from './conversation.ts';
import { describeFailure } from './failure.ts';
import { isConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import { randomId } from './random-id.ts';
import { hasMembers, isBoolean, isNumber, isOptional, isText } from './shapes.ts';
import type { Checked } from './shapes.ts';
import type { AccountStore, StoredList } from './stored.ts';

const outgoingMax = 100;

/** The event of a sent message comes at once, if the person gets one: not of a stream that he does not subscribe to. */
const unheardMs = 10_000;

/** The server knows the key of a send for a day; what is older is not repeated by itself. */
const repeatableSecs = 23 * 60 * 60;

const isOutgoing = hasMembers({
  /** Also the key by which the server knows a repeat. */
  localId: isText,
  conversation: isConversation,
  content: isText,
  /** Why it failed, for people; undefined while it is being sent. */
  failure: isOptional(isText),
  /** Whether the server refused it: sending it again by itself would fail again. */
  wasRefused: isBoolean,
  /** When it was sent, seconds since 1970. */
  timestamp: isNumber,
  /** The server has it, and its event has not come. */
  messageId: isOptional(isNumber),
});

export type Outgoing = Checked<typeof isOutgoing>;

/** Whether it is sent again by itself when the server can be reached. */
export function isRepeated({ wasRefused, messageId, timestamp }: Outgoing): boolean {
  return !wasRefused && messageId === undefined && timestamp > Date.now() / 1000 - repeatableSecs;
}

export type OutboxOptions = {
  readonly store: AccountStore;
  /** The queue whose events this tab gets. */
  readonly queueId: () => string | undefined;
  /** The greatest id of a message that the lists may have. */
  readonly newestId: () => number;
  /** A message was sent, and no event of it came. */
  readonly onUnheard: () => void;
};

export class Outbox {
  readonly #client: Requests;
  readonly #options: OutboxOptions;
  readonly #stored: StoredList<Outgoing>;
  /** Sends of this tab take turns, so that messages arrive in the order they were written. */
  #turn: Promise<void> = Promise.resolve();

  constructor(client: Requests, options: OutboxOptions) {
    this.#client = client;
    this.#options = options;
    this.#stored = options.store.list('outbox', outgoingMax, isOutgoing);
    this.forgetSent();
  }

  /** Messages that the lists do not show yet, in the order they were written. */
  get pending(): ReadonlySignal<readonly Outgoing[]> {
    return this.#stored.items;
  }

  send(conversation: Conversation, content: string): void {
    const outgoing: Outgoing = {
      localId: randomId(),
      conversation,
      content,
      failure: undefined,
      wasRefused: false,
      timestamp: Math.floor(Date.now() / 1000),
      messageId: undefined,
    };
    this.#stored.change((all) => [...all, outgoing]);
    this.#post(outgoing.localId);
  }

  sendAgain(localId: string): void {
    this.#change(localId, { failure: undefined, wasRefused: false });
    this.#post(localId);
  }

  discard(localId: string): void {
    this.#forget((each) => each.localId === localId);
  }

  /** Sends what a closed or reloaded page left, and what failed only because there was no answer. */
  resume(): void {
    for (const outgoing of this.pending.peek()) {
      const { localId, failure, messageId } = outgoing;
      if (isRepeated(outgoing)) this.sendAgain(localId);
      else if (failure === undefined && messageId === undefined)
        this.#change(localId, { failure: texts.failure.notSent });
    }
  }

  /** A message is in the lists now: its event came. */
  receive(messageId: number, localId: string | undefined): void {
    this.#forget((each) => each.localId === localId || each.messageId === messageId);
  }

  /** The lists are read anew, with everything that was sent before. */
  forgetSent(): void {
    this.#forget(({ messageId }) => messageId !== undefined);
  }

  #forget(isGone: (outgoing: Outgoing) => boolean): void {
    if (this.pending.peek().some(isGone))
      this.#stored.change((all) => all.filter((each) => !isGone(each)));
  }

  #find(localId: string): Outgoing | undefined {
    return this.pending.peek().find((each) => each.localId === localId);
  }

  #change(localId: string, changed: Partial<Outgoing>): void {
    this.#stored.change((all) =>
      all.map((each) => (each.localId === localId ? { ...each, ...changed } : each)),
    );
  }

  #post(localId: string): void {
    this.#turn = this.#turn.then(() => this.#postNow(localId));
  }

  async #postNow(localId: string): Promise<void> {
    const outgoing = this.#find(localId);
    if (outgoing === undefined || (outgoing.failure ?? outgoing.messageId) !== undefined) return;
    try {
      const { id } = await this.#client.request(
        'POST /messages',
        {
          ...recipientsOf(outgoing.conversation),
          content: outgoing.content,
          local_id: localId,
          queue_id: this.#options.queueId(),
        },
        { idempotencyKey: localId },
      );
      // Without an id the server keeps it, and sends it later.
      if (id === undefined) this.discard(localId);
      else this.#awaitEvent(id, localId);
    } catch (failure) {
      const wasRefused = failure instanceof ApiError && failure.status < 500;
      this.#change(localId, { failure: describeFailure(failure), wasRefused });
    }
  }

  #awaitEvent(messageId: number, localId: string): void {
    // Of a repeat of a send whose event came long ago the lists have the message.
    if (messageId <= this.#options.newestId()) {
      this.discard(localId);
      return;
    }
    this.#change(localId, { messageId });
    setTimeout(() => {
      if (this.#find(localId) === undefined) return;
      this.discard(localId);
      this.#options.onUnheard();
    }, unheardMs);
  }
}
