/**
 * What must hold for a run, derived only from what its clients got: the place of each message in the single order of event ids, and
 * who was in which stream when.
 */
import type {
  ChangeRecord,
  Journal,
  QueueRecord,
  Received,
  SendRecord,
  SendTarget,
} from './journal.ts';

export type LedgerStream = {
  readonly id: number;
  readonly isPublic: boolean;
};

export type DeliveredMessage = {
  readonly messageId: number;
  /** The id of its event, which is the same in every queue. */
  readonly position: number;
  readonly target: SendTarget;
  readonly token: string | undefined;
  readonly senderId: number;
  /** What a client of this run requested; undefined for the server's own messages. */
  readonly send: SendRecord | undefined;
};

type Move = { readonly position: number; readonly op: 'add' | 'remove' };

/** When a person was in which stream, according to the events of the person's first queue. */
export class Timeline {
  readonly userId: number;
  readonly #initial: ReadonlySet<number>;
  readonly #moves = new Map<number, Move[]>();

  constructor(queue: QueueRecord) {
    this.userId = queue.userId;
    this.#initial = queue.initialStreamIds;
    for (const received of queue.received) {
      if (received.what !== 'membership') continue;
      for (const streamId of received.streamIds) {
        const moves = this.#moves.get(streamId) ?? [];
        moves.push({ position: received.id, op: received.op });
        this.#moves.set(streamId, moves);
      }
    }
  }

  movesOf(streamId: number): readonly Move[] {
    return this.#moves.get(streamId) ?? [];
  }

  wasInitiallyIn(streamId: number): boolean {
    return this.#initial.has(streamId);
  }

  isMember(streamId: number, position: number): boolean {
    const last = this.movesOf(streamId).findLast((move) => move.position < position);
    return last === undefined ? this.#initial.has(streamId) : last.op === 'add';
  }
}

export type ChangeEvent = Extract<Received, { what: 'change' }>;

/** What a request of a change and its event have in common. */
export function keyOfChange({ kind, messageId, mark }: ChangeRecord | ChangeEvent): string {
  return `${kind} ${messageId} ${mark}`;
}

export class Ledger {
  readonly journal: Journal;
  readonly streams: readonly LedgerStream[];
  readonly guestIds: ReadonlySet<number>;
  readonly timelines = new Map<number, Timeline>();
  readonly messages = new Map<number, DeliveredMessage>();
  /** The position of each change, by its key. */
  readonly #changes = new Map<string, number>();

  constructor(
    journal: Journal,
    world: { readonly streams: readonly LedgerStream[]; readonly guestIds: ReadonlySet<number> },
  ) {
    this.journal = journal;
    this.streams = world.streams;
    this.guestIds = world.guestIds;
    for (const queue of journal.queues)
      if (!this.timelines.has(queue.userId)) this.timelines.set(queue.userId, new Timeline(queue));
    const sends = new Map(journal.sends.map((send) => [send.token, send]));
    for (const queue of journal.queues)
      for (const received of queue.received)
        if (received.what === 'message') this.#note(received, sends, queue);
        else if (received.what === 'change') this.#changes.set(keyOfChange(received), received.id);
  }

  timelineOf(userId: number): Timeline {
    const timeline = this.timelines.get(userId);
    if (timeline === undefined) throw new Error(`user ${userId} has no queue`);
    return timeline;
  }

  isPublic(streamId: number): boolean {
    return this.streams.some((stream) => stream.id === streamId && stream.isPublic);
  }

  /** Whether the message is in the person's history: the person took part, or was in the stream at its position. */
  holds(userId: number, message: DeliveredMessage): boolean {
    const { target, position } = message;
    if ('participantIds' in target) return target.participantIds.includes(userId);
    return this.timelineOf(userId).isMember(target.streamId, position);
  }

  /** Whether the person is told of a change at this position: of what is in a private stream only its members are (decision 0065). */
  isToldOfChange(userId: number, message: DeliveredMessage, position: number): boolean {
    const { target } = message;
    return (
      this.holds(userId, message) &&
      (!('streamId' in target) ||
        this.isPublic(target.streamId) ||
        this.timelineOf(userId).isMember(target.streamId, position))
    );
  }

  /** The position of a change; undefined if nobody got its event. */
  positionOf(change: ChangeRecord): number | undefined {
    return this.#changes.get(keyOfChange(change));
  }

  /** Whether the queue existed at this position, so that it must have the event. */
  isAlive(queue: QueueRecord, position: number): boolean {
    return position > queue.startId && (!queue.isDeleted || position <= queue.lastId);
  }

  #note(
    received: Extract<Received, { what: 'message' }>,
    sends: ReadonlyMap<string, SendRecord>,
    queue: QueueRecord,
  ): void {
    const { messageId, id: position, target, token, senderId } = received;
    const send = token === undefined ? undefined : sends.get(token);
    const known = this.messages.get(messageId);
    if (known === undefined) {
      this.messages.set(messageId, { messageId, position, target, token, senderId, send });
    } else if (known.position !== position || known.token !== token) {
      this.journal.findings.add(
        'disordered',
        `message ${messageId} is ${known.token} at ${known.position}, and in ${queue.name} ${token} at ${position}`,
      );
    }
  }
}
