/**
 * The ledger of delivery tests: the sends with their recipients, and the events that each queue got. Its verdict is the property that must
 * always hold: each acknowledged send reached each entitled queue exactly once, in increasing event id and in message order, and nobody
 * else got anything.
 */
import type { JsonObject } from './answer-checks.ts';

type Send = {
  /** The message's raw content: unique, so that a queue shows a send whose answer was lost. */
  readonly content: string;
  readonly entitledUserIds: ReadonlySet<number>;
  readonly openQueueNames: ReadonlySet<string>;
  messageId: number | undefined;
};

type Receipt = { readonly eventId: number; readonly messageId: number; readonly content: string };

const faultsShownMax = 40;

/** The events that one event queue got. */
export class QueueRecord {
  readonly name: string;
  readonly userId: number;
  readonly receipts: Receipt[] = [];
  /** Refusals and broken rules while the queue was read. */
  readonly faults: string[] = [];
  #lastEventId: number | undefined;

  /** Created by `DeliveryLedger.openQueue` only. */
  constructor(name: string, userId: number) {
    this.name = name;
    this.userId = userId;
  }

  /** Records the events of one answer, in order. */
  receive(events: readonly JsonObject[]): void {
    for (const event of events) {
      const eventId = event['id'] as number;
      if (this.#lastEventId !== undefined && eventId <= this.#lastEventId)
        this.faults.push(`event ${eventId} came after event ${this.#lastEventId}`);
      this.#lastEventId = eventId;
      if (event['type'] !== 'message') continue;
      const message = event['message'] as JsonObject;
      this.receipts.push({
        eventId,
        messageId: message['id'] as number,
        content: message['content'] as string,
      });
    }
  }
}

export class DeliveryLedger {
  readonly #sends = new Map<string, Send>();
  readonly #queues = new Map<string, QueueRecord>();

  get queues(): readonly QueueRecord[] {
    return [...this.#queues.values()];
  }

  get acknowledgedCount(): number {
    return this.#acknowledged().length;
  }

  /**
   * Opens the record of a queue. From now on it must get every attempted send that its user is entitled to.
   *
   * @param name any unique name; usually the queue id
   */
  openQueue(name: string, userId: number): QueueRecord {
    if (this.#queues.has(name)) throw new Error(`queue ${name} is in the ledger already`);
    const record = new QueueRecord(name, userId);
    this.#queues.set(name, record);
    return record;
  }

  /**
   * Records a send before its request. Until it is acknowledged its outcome is open: it may reach all entitled queues or none.
   *
   * @param content the raw content, which no other send may have
   */
  attempt(content: string, entitledUserIds: Iterable<number>): void {
    if (this.#sends.has(content)) throw new Error(`content is not unique: ${content}`);
    this.#sends.set(content, {
      content,
      entitledUserIds: new Set(entitledUserIds),
      openQueueNames: new Set(this.#queues.keys()),
      messageId: undefined,
    });
  }

  /** Records that the server answered `success`: from now on the message must arrive. */
  acknowledge(content: string, messageId: number): void {
    const send = this.#sends.get(content);
    if (send === undefined) throw new Error(`nobody attempted to send: ${content}`);
    send.messageId = messageId;
  }

  /** Whether every queue got as many messages as were acknowledged for it; a cheap condition to wait for. */
  hasAllReceipts(): boolean {
    return this.countMissing() === 0;
  }

  /** How many deliveries of acknowledged messages are missing, in all queues. */
  countMissing(): number {
    const acknowledged = this.#acknowledged();
    let missing = 0;
    for (const queue of this.#queues.values()) {
      const received = new Set(queue.receipts.map((receipt) => receipt.messageId));
      for (const send of acknowledged)
        if (mustReceive(send, queue) && !received.has(send.messageId)) missing += 1;
    }
    return missing;
  }

  /** @returns a sentence for each fault; empty if there is none */
  findFaults(): string[] {
    const faults: string[] = [];
    const queues = this.queues;
    const idsOfUnanswered = new Map<Send, Set<number>>();
    const holdersOfUnanswered = new Map<Send, Set<QueueRecord>>();
    const acknowledged = this.#acknowledged();
    const idOwners = new Map<number, string>();
    for (const send of acknowledged) {
      const owner = idOwners.get(send.messageId);
      if (owner !== undefined)
        faults.push(
          `message id ${send.messageId} was answered for "${owner}" and "${send.content}"`,
        );
      idOwners.set(send.messageId, send.content);
    }
    for (const queue of queues) {
      const say = (text: string): void => {
        faults.push(`queue ${queue.name} of user ${queue.userId}: ${text}`);
      };
      for (const fault of queue.faults) say(fault);
      const received = new Set<number>();
      let newestId = -1;
      for (const { messageId, content, eventId } of queue.receipts) {
        if (received.has(messageId)) {
          say(`message ${messageId} came again with event ${eventId}`);
          continue;
        }
        received.add(messageId);
        if (messageId < newestId) say(`message ${messageId} came after message ${newestId}`);
        newestId = Math.max(newestId, messageId);
        const send = this.#sends.get(content);
        if (send === undefined) {
          say(`message ${messageId} was sent by nobody in the ledger: ${content}`);
        } else if (!send.entitledUserIds.has(queue.userId)) {
          say(`message ${messageId} is not for this user: ${content}`);
        } else if (send.messageId === undefined) {
          addTo(idsOfUnanswered, send, messageId);
          addTo(holdersOfUnanswered, send, queue);
        } else if (send.messageId !== messageId) {
          say(`message ${messageId} has the content that was answered with ${send.messageId}`);
        }
      }
      const missing = acknowledged.filter(
        (send) => mustReceive(send, queue) && !received.has(send.messageId),
      );
      if (missing.length > 0)
        say(
          `${missing.length} acknowledged messages are missing: ${missing
            .slice(0, 10)
            .map((send) => send.messageId)
            .join(', ')}`,
        );
    }
    for (const [send, ids] of idsOfUnanswered) {
      if (ids.size > 1)
        faults.push(`"${send.content}", sent once, became messages ${[...ids].join(', ')}`);
      const holders = holdersOfUnanswered.get(send) ?? new Set();
      const without = queues.filter((queue) => mustReceive(send, queue) && !holders.has(queue));
      if (without.length > 0)
        faults.push(
          `message ${[...ids].join(', ')}, whose answer was lost, reached ${holders.size} queues but not ${without
            .map((queue) => queue.name)
            .join(', ')}`,
        );
    }
    return faults;
  }

  /** @throws Error with all faults */
  check(): void {
    const faults = this.findFaults();
    if (faults.length === 0) return;
    const shown = faults.slice(0, faultsShownMax);
    const rest = faults.length - shown.length;
    throw new Error(
      [
        `${faults.length} faults of delivery (${this.acknowledgedCount} acknowledged sends, ${this.#queues.size} queues):`,
        ...shown,
        ...(rest > 0 ? [`... and ${rest} more`] : []),
      ].join('\n'),
    );
  }

  #acknowledged(): (Send & { messageId: number })[] {
    return [...this.#sends.values()].filter(
      (send): send is Send & { messageId: number } => send.messageId !== undefined,
    );
  }
}

function mustReceive(send: Send, queue: QueueRecord): boolean {
  return send.openQueueNames.has(queue.name) && send.entitledUserIds.has(queue.userId);
}

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = sets.get(key) ?? new Set<Value>();
  values.add(value);
  sets.set(key, values);
}
