/** What the clients of a run requested, their answers, and the events of their queues: the judge knows nothing else. */
import type { JsonObject } from '@parley/test-kit';

import type { Findings } from './findings.ts';

export type SendTarget =
  | { readonly streamId: number }
  | { readonly participantIds: readonly number[] };

/** A send, with all its repeats under one key. */
export type SendRecord = {
  /** Occurs in the content of this message only. */
  readonly token: string;
  readonly senderId: number;
  readonly target: SendTarget;
  /** Set for a send that names a queue of its sender. */
  readonly local: { readonly queueId: string; readonly localId: string } | undefined;
  readonly startedMs: number;
  ackedMs: number | undefined;
  messageId: number | undefined;
};

/** A join or a leave. A person has at most one pending. */
export type MembershipRecord = {
  readonly userId: number;
  readonly streamId: number;
  readonly op: 'add' | 'remove';
  readonly startedMs: number;
  ackedMs: number | undefined;
  /** Whether the answer says that something changed. */
  hasEffect: boolean;
  /** Requests of unknown outcome: each may have changed something, or may still do so. */
  unclear: number;
};

/** A change of a message: an edit of its content, a reaction or a star. */
export type ChangeRecord = {
  readonly kind: 'edit' | 'reaction' | 'star';
  readonly messageId: number;
  readonly userId: number;
  /** Occurs in the new content of an edit, and is the emoji of a reaction. */
  readonly mark: string;
  readonly startedMs: number;
  ackedMs: number | undefined;
  /** Requests of unknown outcome: each may have caused an event, or may still do so. */
  unclear: number;
};

/** The part of an event that is judged. */
export type Received = {
  readonly id: number;
  readonly type: string;
  /** The same for one event in every queue and transport. */
  readonly essence: string;
} & (
  | {
      readonly what: 'message';
      readonly messageId: number;
      readonly senderId: number;
      readonly token: string | undefined;
      readonly target: SendTarget;
      readonly localId: string | undefined;
    }
  | {
      readonly what: 'membership';
      readonly op: 'add' | 'remove';
      readonly streamIds: readonly number[];
    }
  | {
      readonly what: 'peer';
      readonly op: 'add' | 'remove';
      readonly streamId: number;
      readonly userId: number;
    }
  | {
      readonly what: 'change';
      readonly kind: ChangeRecord['kind'];
      readonly messageId: number;
      readonly userId: number;
      readonly mark: string;
    }
  | { readonly what: 'other' }
);

const tokenPattern = /chaos-\d+/;
const editPattern = /edit-\d+/;

/** Marks that a run writes into contents, so that a message and each version of it are recognized wherever they appear. */
export const contentMarks = {
  token: (number: number): string => `chaos-${number}`,
  edit: (number: number): string => `edit-${number}`,
  findToken: (content: string): string | undefined => tokenPattern.exec(content)?.[0],
  findEdit: (content: string): string | undefined => editPattern.exec(content)?.[0],
};

function idsOf(value: unknown): number[] {
  return (value as readonly JsonObject[]).map((item) => item['id'] as number);
}

/** @returns the destination of a message from an event or from GET messages */
function targetOf(message: JsonObject): SendTarget {
  return message['type'] === 'stream'
    ? { streamId: message['stream_id'] as number }
    : { participantIds: idsOf(message['display_recipient']).toSorted((a, b) => a - b) };
}

/** @returns the part of an event that is judged */
export function readEvent(event: JsonObject): Received {
  const id = event['id'] as number;
  const type = event['type'] as string;
  const op = event['op'];
  if (type === 'message') {
    const message = event['message'] as JsonObject;
    const messageId = message['id'] as number;
    const token = contentMarks.findToken(message['content'] as string);
    const senderId = message['sender_id'] as number;
    const localId = event['local_message_id'] as string | undefined;
    const essence = `message ${messageId} ${token}`;
    return {
      id,
      type,
      essence,
      what: 'message',
      messageId,
      senderId,
      token,
      target: targetOf(message),
      localId,
    };
  }
  if (type === 'subscription' && (op === 'add' || op === 'remove')) {
    const streamIds = (event['subscriptions'] as readonly JsonObject[]).map(
      (subscription) => subscription['stream_id'] as number,
    );
    return {
      id,
      type,
      essence: `${op} ${streamIds.join(' ')}`,
      what: 'membership',
      op,
      streamIds,
    };
  }
  if (type === 'subscription' && (op === 'peer_add' || op === 'peer_remove')) {
    const [streamId, userId] = [event['stream_id'] as number, event['user_id'] as number];
    const essence = `${op} ${streamId} ${userId}`;
    return {
      id,
      type,
      essence,
      what: 'peer',
      op: op === 'peer_add' ? 'add' : 'remove',
      streamId,
      userId,
    };
  }
  return readChange(id, type, event) ?? { id, type, essence: type, what: 'other' };
}

function readChange(id: number, type: string, event: JsonObject): Received | undefined {
  const change = (
    kind: ChangeRecord['kind'],
    messageId: number,
    userId: number,
    mark: string,
  ): Received => ({
    id,
    type,
    essence: `${kind} ${messageId} ${userId} ${mark}`,
    what: 'change',
    kind,
    messageId,
    userId,
    mark,
  });
  if (type === 'update_message' && typeof event['content'] === 'string') {
    const mark = contentMarks.findEdit(event['content']) ?? '';
    return change('edit', event['message_id'] as number, event['user_id'] as number, mark);
  }
  if (type === 'reaction' && event['op'] === 'add') {
    const user = event['user'] as JsonObject;
    return change(
      'reaction',
      event['message_id'] as number,
      user['user_id'] as number,
      event['emoji_name'] as string,
    );
  }
  if (type === 'update_message_flags' && event['flag'] === 'starred') {
    const messageId = (event['messages'] as readonly number[])[0];
    if (messageId !== undefined) return change('star', messageId, -1, 'starred');
  }
  return undefined;
}

/** The events of one event queue. */
export class QueueRecord {
  readonly queueId: string;
  readonly userId: number;
  /** For people: the owner of the queue and how it is read. */
  readonly name: string;
  /** Receives the messages of all public streams. */
  readonly listens: boolean;
  readonly startId: number;
  /** The person's streams in the answer of register. */
  readonly initialStreamIds: ReadonlySet<number>;
  readonly received: Received[] = [];
  /** The last id that the client received, from which it continues. */
  lastId: number;
  /** Set when the client is about to delete the queue; refusals are permitted from then on. */
  isDeleted = false;
  readonly #findings: Findings;
  readonly #ids = new Set<number>();

  constructor(
    findings: Findings,
    queue: {
      readonly queueId: string;
      readonly userId: number;
      readonly name: string;
      readonly listens: boolean;
      readonly startId: number;
      readonly initialStreamIds: ReadonlySet<number>;
    },
  ) {
    this.#findings = findings;
    this.queueId = queue.queueId;
    this.userId = queue.userId;
    this.name = queue.name;
    this.listens = queue.listens;
    this.startId = queue.startId;
    this.lastId = queue.startId;
    this.initialStreamIds = queue.initialStreamIds;
  }

  /** Records an event in the order in which the client got it. @returns the part that is judged */
  receive(event: JsonObject): Received {
    const received = readEvent(event);
    const { id } = received;
    if (id <= this.lastId) {
      const isKnown = this.#ids.has(id);
      this.#findings.add(
        isKnown ? 'repeated' : 'disordered',
        `${this.name}: event ${id} (${received.essence}) came after ${this.lastId}`,
      );
      return received;
    }
    this.lastId = id;
    this.#ids.add(id);
    if (received.type !== 'heartbeat') this.received.push(received);
    return received;
  }
}

/** A slower answer may come from a retry of a gateway whose process was paused or unreachable. */
const slowAnswerMs = 3_000;
/** The most retries that a gateway makes of one request before the client gives up. */
const hiddenRepeatsMax = 4;

export class Journal {
  readonly findings: Findings;
  /** When processes were killed, paused or disconnected: a gateway may have retried the requests that were pending then. */
  readonly losses: { readonly fromMs: number; readonly toMs: number }[] = [];
  readonly sends: SendRecord[] = [];
  readonly memberships: MembershipRecord[] = [];
  readonly changes: ChangeRecord[] = [];
  readonly queues: QueueRecord[] = [];
  /** How often each request had no answer, or one that asks for a retry. */
  readonly failedRequests = new Map<string, number>();
  /** How many messages were fetched by GET messages right after their event. */
  probes = 0;

  constructor(findings: Findings) {
    this.findings = findings;
  }

  /**
   * How often a change may have been executed in addition to the one certain time. A join, an edit or a star has no key, so a retry
   * may
   * execute it twice.
   */
  countPossibleRepeats(change: {
    readonly startedMs: number;
    readonly ackedMs: number | undefined;
    readonly unclear: number;
  }): number {
    const { startedMs, ackedMs = Infinity, unclear } = change;
    const isSlow = ackedMs - startedMs > slowAnswerMs;
    const wasLost = this.losses.some(({ fromMs, toMs }) => startedMs < toMs && ackedMs > fromMs);
    return (unclear + (isSlow || wasLost ? 1 : 0)) * hiddenRepeatsMax;
  }

  /** Records a request that must be retried, and why. */
  countFailure(request: string, reason: string): void {
    const what = `${request} ${reason}`;
    this.failedRequests.set(what, (this.failedRequests.get(what) ?? 0) + 1);
  }
}
