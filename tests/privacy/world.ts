/**
 * The test's own records of its organization, and who may see what of it. Nothing here queries the server.
 */
import type { Role } from '@parley/api';
import type { ApiClient } from '@parley/test-kit';

export type Person = {
  readonly id: number;
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly botType: number | null;
  readonly ownerId: number | undefined;
  readonly apiKey: string;
  readonly client: ApiClient;
  /** Some people are deactivated during the test. */
  isActive: boolean;
};

export type StreamKind = 'public' | 'shared' | 'protected';

/** A stream, and who was in it during which periods. */
export class StreamRecord {
  readonly id: number;
  /** The current name. */
  name: string;
  /** A permanent member, so that somebody can always add others. */
  readonly keeper: Person;
  /** These bots hold a message of the stream, which reveals the stream. */
  readonly namedBots = new Set<Person>();
  readonly #periods: { readonly userId: number; readonly from: number; until: number }[] = [];
  readonly #kinds: { readonly kind: StreamKind; readonly from: number; until: number }[];

  constructor(id: number, name: string, kind: StreamKind, keeper: Person) {
    this.id = id;
    this.name = name;
    this.keeper = keeper;
    this.#kinds = [{ kind, from: 0, until: Infinity }];
  }

  /** The current kind. */
  get kind(): StreamKind {
    return this.kindAt(Number.MAX_SAFE_INTEGER);
  }

  kindAt(at: number): StreamKind {
    const found = this.#kinds.find(({ from, until }) => from < at && at <= until);
    if (found === undefined) throw new Error(`stream ${this.id} is of no kind at ${at}`);
    return found.kind;
  }

  become(kind: StreamKind, at: number): void {
    for (const known of this.#kinds) if (known.until === Infinity) known.until = at;
    this.#kinds.push({ kind, from: at, until: Infinity });
  }

  /** Whether it is public now, or was after the given moment. */
  wasPublicAfter(moment: number): boolean {
    return this.#kinds.some(({ kind, until }) => kind === 'public' && until > moment);
  }

  join(userId: number, at: number): void {
    this.#periods.push({ userId, from: at, until: Infinity });
  }

  leave(userId: number, at: number): void {
    for (const period of this.#periods)
      if (period.userId === userId && period.until === Infinity) period.until = at;
  }

  wasMember(userId: number, at: number): boolean {
    return this.#periods.some(
      (period) => period.userId === userId && period.from < at && at < period.until,
    );
  }

  isMember(userId: number): boolean {
    return this.#periods.some((period) => period.userId === userId && period.until === Infinity);
  }

  /** Whether the user is a member now, or was after the given moment. */
  wasMemberAfter(userId: number, moment: number): boolean {
    return this.#periods.some((period) => period.userId === userId && period.until > moment);
  }

  wasEverMember(userId: number): boolean {
    return this.#periods.some((period) => period.userId === userId);
  }
}

export type MessageRecord = {
  readonly id: number;
  readonly sentAt: number;
  readonly sender: Person;
  /** For a stream message. */
  readonly stream?: StreamRecord;
  readonly topic?: string;
  /** For a private message. */
  readonly participants?: readonly Person[];
  /** Generic bots that it mentions, which hold it. */
  readonly namedBots: readonly Person[];
  /** A marked word in its text. */
  readonly word: string;
  /** Who could read it when it was edited, and so got the event, even without access now. */
  readonly editEvents: Set<Person>;
};

export type FileRecord = {
  readonly uri: string;
  readonly attachmentId: number;
  readonly owner: Person;
  readonly linkedBy: MessageRecord;
};

export type ScheduledRecord = { readonly id: number; readonly sender: Person };

/** A marked word, and who may see it. */
export type Secret = {
  readonly what: string;
  readonly maySee: (person: Person) => boolean;
  /** Accounts that may have got an event about it, although they may no longer see it. */
  readonly mayHaveGotEvent?: (person: Person) => boolean;
  /** The message that contains it, if any. */
  readonly message?: MessageRecord;
};

/** Accounts that are refused everything: deactivated people, and incoming-webhook bots except for sends. */
export function isRefused(person: Person): boolean {
  return !person.isActive || person.botType === 2;
}

/** The complete rule for content (reference facts, messages 7). */
export function mayRead(person: Person, message: MessageRecord): boolean {
  const { stream, participants = [], namedBots, sentAt } = message;
  if (isRefused(person)) return false;
  if (stream === undefined) return participants.includes(person);
  if (stream.wasMember(person.id, sentAt) || namedBots.includes(person)) return true;
  if (stream.kind === 'public') return person.role !== 'guest' || stream.isMember(person.id);
  return stream.kind === 'shared' && stream.isMember(person.id);
}

/** Who may change a message that is visible, and is told of changes: in a private stream only members (decision 0065). */
export function mayChange(person: Person, message: MessageRecord): boolean {
  const { stream } = message;
  const isOpen = stream === undefined || stream.kind === 'public' || stream.isMember(person.id);
  return isOpen && mayRead(person, message);
}

/** Whose queues may get the message's own event: like `mayRead`, at the time of the send. */
export function mayReceive(person: Person, message: MessageRecord): boolean {
  const { stream, participants = [], namedBots, sentAt } = message;
  if (stream === undefined) return participants.includes(person);
  if (stream.wasMember(person.id, sentAt) || namedBots.includes(person)) return true;
  return stream.kindAt(sentAt) === 'public' && person.role !== 'guest';
}

/** Who may know that a stream exists: its name, its description, its id. */
export function mayKnow(person: Person, stream: StreamRecord): boolean {
  if (stream.wasEverMember(person.id) || person.role === 'administrator') return true;
  if (stream.namedBots.has(person)) return true;
  // For a bot, GET streams lists its owner's subscriptions (contract, Streams).
  if (person.ownerId !== undefined && stream.wasEverMember(person.ownerId)) return true;
  return stream.kind === 'public' && person.role !== 'guest';
}

/** Who may have learned of a stream after a moment, because it may have been public then. */
export function mayHaveKnown(person: Person, stream: StreamRecord, moment: number): boolean {
  return mayKnow(person, stream) || (person.role !== 'guest' && stream.wasPublicAfter(moment));
}

/** Who may know a stream's members. */
export function mayListMembers(person: Person, stream: StreamRecord): boolean {
  if (person.role === 'administrator' || stream.isMember(person.id)) return true;
  return stream.kind === 'public' && person.role !== 'guest';
}

/** Everything in the organization. */
export class World {
  readonly people: Person[] = [];
  readonly streams: StreamRecord[] = [];
  readonly messages: MessageRecord[] = [];
  readonly files: FileRecord[] = [];
  readonly scheduled: ScheduledRecord[] = [];
  readonly drafts: ScheduledRecord[] = [];
  /** By the marked word. */
  readonly secrets = new Map<string, Secret>();
  readonly #streamsById = new Map<number, StreamRecord>();
  readonly #messagesById = new Map<number, MessageRecord>();

  addStream(stream: StreamRecord): void {
    this.streams.push(stream);
    this.#streamsById.set(stream.id, stream);
  }

  addMessage(message: MessageRecord): void {
    this.messages.push(message);
    this.#messagesById.set(message.id, message);
  }

  findStream(id: number): StreamRecord | undefined {
    return this.#streamsById.get(id);
  }

  findMessage(id: number): MessageRecord | undefined {
    return this.#messagesById.get(id);
  }
}
