/**
 * The answer to a poll: a function of the queue's descriptor, the log and `last_event_id`. It is read from memory if that reaches back far
 * enough, else from the node's tail, else from Postgres in pages by audience, with the same result.
 */
import type { ApiEvent } from '@parley/api/events';
import type { ChangeEntry, EventPart, MessageSentEntry, PositionedEntry } from '@parley/event-log';
import { audienceKey, readOnLeaving } from '@parley/event-log';
import { holdsMessage } from '@parley/store';
import type { HeldRange, MessageOfUser } from '@parley/store';

import { entitledParts, messageEntitlement, messageFlags } from '../feed/entitlement.ts';
import type { LogTail } from '../feed/log-tail.ts';
import { ParsedEntry } from '../feed/parsed-entry.ts';
import type { UserView } from '../feed/user-view.ts';
import type { EventQueue } from './event-queue.ts';
import {
  isSentByOwnMirror,
  listensToPublicStreams,
  passesNarrow,
  takesType,
} from './queue-filter.ts';

/** An answer drains what is pending up to these bounds, and holds at least one event (architecture, Queues). */
export const answerBounds: CollectBounds = {
  answerEventsMax: 1_000,
  answerBytesMax: 1_048_576,
  replayPageEntries: 500,
  replayAudiencesMax: 400,
};

export type CollectBounds = {
  readonly answerEventsMax: number;
  readonly answerBytesMax: number;
  readonly replayPageEntries: number;
  /** Above this number of keys, a page reads all entries of the range instead of looking up each key. */
  readonly replayAudiencesMax: number;
};

export type LogAccess = {
  readonly tail: LogTail;
  readonly conversationIdsOf: (userId: number) => Promise<number[]>;
  readonly readEntries: (
    range: { readonly after: number; readonly upTo: number },
    audiences: readonly number[] | undefined,
    entriesMax: number,
  ) => Promise<PositionedEntry[]>;
  /** Reads again the position up to which entries may have been trimmed. */
  readonly readBeginPosition: () => Promise<number>;
  /** Decrypts members of an entry. */
  readonly openSealed: (text: string) => Readonly<Record<string, unknown>>;
  /** The flags that a holder sees on a message now; empty when it was deleted since. */
  readonly flagsOf: (message: MessageOfUser) => Promise<string[]>;
  /** Ascending ids of the active subscribers of a stream as of a position. */
  readonly subscribersAt: (streamId: number, position: number) => Promise<readonly number[]>;
  /** The id of a stream's first message if it is not above the given one, otherwise null. */
  readonly firstMessageUpTo: (streamId: number, messageId: number) => Promise<number | null>;
  /** Ascending ids of the newest messages of a stream, above one and up to another, that a user held by being its member. */
  readonly heldInStream: (range: HeldRange) => Promise<number[]>;
};

/** The node no longer knows the queue's user (the log was reset), so the poll must start over. */
export class FeedLost extends Error {}

/** The log was trimmed beyond the position from which to read. */
export class LogTrimmed extends Error {}

/** An event as a client gets it. */
export type CollectedEvent = {
  readonly id: number;
  /** JSON, the id included. */
  readonly text: string;
  /** A key stands in it. */
  readonly holdsKey?: boolean;
};

export type Collected = {
  /** In increasing id. */
  readonly events: readonly CollectedEvent[];
  /** Whether a bound was met, so that there may be more. */
  readonly isFull: boolean;
};

class Answer implements Collected {
  readonly events: CollectedEvent[] = [];
  isFull = false;
  readonly #bounds: CollectBounds;
  #bytes = 0;

  constructor(bounds: CollectBounds) {
    this.#bounds = bounds;
  }

  /** @returns whether more may follow */
  push(id: number, text: string, holdsKey = false): boolean {
    this.events.push(holdsKey ? { id, text, holdsKey } : { id, text });
    this.#bytes += Buffer.byteLength(text);
    this.isFull =
      this.events.length >= this.#bounds.answerEventsMax ||
      this.#bytes >= this.#bounds.answerBytesMax;
    return !this.isFull;
  }
}

/** For whom events are collected, above which id, and where they go. */
type Collecting = {
  readonly log: LogAccess;
  readonly queue: EventQueue;
  readonly view: UserView;
  readonly after: number;
  readonly answer: Answer;
};

/**
 * @param after `last_event_id` as far as it is meaningful: at or above the queue's start and at or below the log's end
 * @returns events all above `after`
 * @throws FeedLost, LogTrimmed
 */
export async function collectEvents(
  log: LogAccess,
  queue: EventQueue,
  after: number,
  bounds: CollectBounds = answerBounds,
): Promise<Collected> {
  const { replayPageEntries } = bounds;
  const answer = new Answer(bounds);
  let position = after;
  for (;;) {
    const { feed } = queue;
    if (feed === undefined) throw new FeedLost();
    const { view } = feed;
    const collecting: Collecting = { log, queue, view, after, answer };
    const upTo = feed.coverageOf(listensToPublicStreams(queue.descriptor));
    if (position >= upTo) {
      await addEntries(collecting, feed.deliveriesAfter(position));
      return answer;
    }
    if (position >= log.tail.beginPosition) {
      const isOpen = await addEntries(collecting, log.tail.between(position, upTo));
      if (!isOpen) return answer;
      position = upTo;
      continue;
    }
    const audiences = await audiencesOf(collecting, bounds.replayAudiencesMax);
    const page = await log.readEntries({ after: position, upTo }, audiences, replayPageEntries);
    // The beginning moves before entries are removed, so reading it afterwards detects a page that lacks entries.
    if ((await log.readBeginPosition()) > position) throw new LogTrimmed();
    const entries = page.map((entry) => new ParsedEntry(entry));
    if (!(await addEntries(collecting, entries))) return answer;
    position = page.length < replayPageEntries ? upTo : (entries.at(-1)?.end ?? upTo);
  }
}

/**
 * The usual case without a wait: memory reaches back far enough, and there are only messages.
 *
 * @returns what `collectEvents` would give, or undefined where it has to be asked
 * @throws FeedLost
 */
export function collectFromMemory(
  queue: EventQueue,
  after: number,
  bounds: CollectBounds,
): Collected | undefined {
  const { feed } = queue;
  if (feed === undefined) throw new FeedLost();
  if (after < feed.coverageOf(listensToPublicStreams(queue.descriptor))) return undefined;
  const entries = feed.deliveriesAfter(after);
  if (entries.some(({ entry }) => entry.kind === 'change')) return undefined;
  const answer = new Answer(bounds);
  for (const parsed of entries) {
    if (parsed.entry.kind !== 'message.sent' || parsed.position <= after) continue;
    const text = messageEvent(parsed, parsed.entry, queue, feed.view);
    if (text !== undefined && !answer.push(parsed.position, text)) break;
  }
  return answer;
}

async function audiencesOf(
  { log, queue, view }: Collecting,
  replayAudiencesMax: number,
): Promise<number[] | undefined> {
  if (listensToPublicStreams(queue.descriptor)) return undefined;
  const conversationIds = await log.conversationIdsOf(queue.userId);
  const streamIds = view.streamIds();
  if (streamIds.length + conversationIds.length > replayAudiencesMax) return undefined;
  return [
    audienceKey.everyone,
    audienceKey.user(queue.userId),
    ...streamIds.map((id) => audienceKey.stream(id)),
    ...conversationIds.map((id) => audienceKey.conversation(id)),
  ];
}

async function addEntries(
  collecting: Collecting,
  entries: readonly ParsedEntry[],
): Promise<boolean> {
  const { queue, view, after, answer } = collecting;
  for (const parsed of entries) {
    const { entry } = parsed;
    if (entry.kind === 'message.sent') {
      const text = parsed.position > after ? messageEvent(parsed, entry, queue, view) : undefined;
      if (text !== undefined && !answer.push(parsed.position, text)) return false;
    } else if (entry.kind === 'change') {
      if (!(await addChange(collecting, parsed, entry))) return false;
    }
  }
  return true;
}

/** @returns the event as the queue gets it, or undefined when it does not */
function messageEvent(
  parsed: ParsedEntry,
  entry: MessageSentEntry,
  queue: EventQueue,
  view: UserView,
): string | undefined {
  const { descriptor } = queue;
  if (!takesType(descriptor, 'message') || isSentByOwnMirror(descriptor, entry)) return undefined;
  const entitlement = messageEntitlement(entry, view, parsed.position);
  if (entitlement === 'none' || (entitlement === 'public' && !listensToPublicStreams(descriptor)))
    return undefined;
  const flags = entitlement === 'holder' ? messageFlags(entry, queue.userId) : [];
  if (!passesNarrow(descriptor, entry, flags)) return undefined;
  const local =
    entry.local?.queueId === queue.id && entry.message.sender_id === queue.userId
      ? `,"local_message_id":${JSON.stringify(entry.local.localId)}`
      : '';
  // Mirrors learn which streams are private (reference facts, events 9.4).
  const isMarked = descriptor.mirrorClient !== undefined && entry.stream?.isPublic === false;
  if (flags.length === 0 && local === '' && !isMarked)
    return parsed.plainMessageEventText(entry, descriptor);
  const text = parsed.messageText(entry, descriptor);
  const message = isMarked ? `${text.slice(0, -1)},"invite_only_stream":true}` : text;
  return `{"type":"message","message":${message},"flags":${JSON.stringify(flags)}${local},"id":${parsed.position}}`;
}

async function addChange(
  { log, queue, view, after, answer }: Collecting,
  parsed: ParsedEntry,
  entry: ChangeEntry,
): Promise<boolean> {
  const { descriptor } = queue;
  for (const index of entitledParts(entry, view, parsed.position)) {
    const part = entry.events[index];
    const first = parsed.partPosition(index);
    if (part === undefined || !takesType(descriptor, eventTypeOf(part))) continue;
    if (part.form === 'peers') {
      for (let offset = Math.max(0, after + 1 - first); offset < part.userIds.length; offset += 1) {
        if (part.userIds[offset] === queue.userId) continue;
        const text = parsed.peerEventText(entry, index, offset);
        if (!answer.push(first + offset, text)) return false;
      }
    } else if (first > after) {
      const text = await eventOfPart({ log, view }, parsed, entry, index);
      const holdsKey = part.form === 'same' && part.sealed !== undefined;
      if (!answer.push(first, text, holdsKey)) return false;
    }
  }
  return true;
}

function eventTypeOf(part: EventPart): string {
  if (part.form === 'same' || part.form === 'of-message') return part.event.type;
  return part.form === 'left-stream-read' ? 'update_message_flags' : 'subscription';
}

type Part<Form extends ChangeEntry['events'][number]['form']> = Extract<
  ChangeEntry['events'][number],
  { readonly form: Form }
>;

async function eventOfPart(
  { log, view }: Pick<Collecting, 'log' | 'view'>,
  parsed: ParsedEntry,
  entry: ChangeEntry,
  index: number,
): Promise<string> {
  const part = entry.events[index];
  const id = parsed.partPosition(index);
  switch (part?.form) {
    case 'subscription-add':
    case 'shared-subscription-add':
      return subscriptionAddEvent(log, part, parsed, id);
    case 'left-stream-read':
      return leftStreamReadEvent({ log, view }, part, parsed.messageId, id);
    case 'of-message':
      return `${parsed.openEventText(entry, index)}${await flagsMember(log, part, view)},"id":${id}}`;
    case 'same':
      if (part.event.type === 'stream' && part.event.op === 'vacate')
        return vacateEvent(log, part.event, parsed, index);
      return part.sealed === undefined
        ? `${parsed.openEventText(entry, index)},"id":${id}}`
        : sealedEvent(log, part, part.sealed, id);
    default:
      throw new Error('the part is not one event');
  }
}

/** For a subscriber who does not hold the message it is read (reference facts, messages 12.1). */
async function flagsMember(
  log: LogAccess,
  part: Part<'of-message'>,
  view: UserView,
): Promise<string> {
  if (!part.withFlags) return '';
  const { message } = part;
  const flags = holdsMessage(message, view)
    ? await log.flagsOf({ userId: view.userId, messageId: message.id })
    : ['read'];
  return `,"flags":${JSON.stringify(flags)}`;
}

function sealedEvent(
  log: LogAccess,
  part: Part<'same'>,
  sealed: NonNullable<Part<'same'>['sealed']>,
  id: number,
): string {
  const event: Readonly<Record<string, unknown>> = part.event;
  const member = { ...(event[sealed.member] as object), ...log.openSealed(sealed.text) };
  return JSON.stringify({ ...event, [sealed.member]: member, id });
}

async function subscriptionAddEvent(
  log: LogAccess,
  part: Part<'subscription-add' | 'shared-subscription-add'>,
  { position, messageId }: ParsedEntry,
  id: number,
): Promise<string> {
  const subscriptions: unknown[] = [];
  for (const subscription of part.subscriptions) {
    const { stream_id: streamId } = subscription;
    subscriptions.push({
      ...subscription,
      // The first message may be between the writer's read and the entry's position.
      first_message_id:
        subscription.first_message_id ?? (await log.firstMessageUpTo(streamId, messageId)),
      subscribers: await log.subscribersAt(streamId, position),
    });
  }
  return JSON.stringify({ type: 'subscription', op: 'add', subscriptions, id });
}

type VacateEvent = Extract<ApiEvent, { type: 'stream'; op: 'vacate' }>;

/** One request can create a stream and empty it. Its first message is then between both changes, and the writer does not know its id. */
async function vacateEvent(
  log: LogAccess,
  event: VacateEvent,
  parsed: ParsedEntry,
  index: number,
): Promise<string> {
  return parsed.completedText(index, async () => {
    const streams = await Promise.all(
      event.streams.map(async (stream) => ({
        ...stream,
        first_message_id:
          stream.first_message_id ??
          (await log.firstMessageUpTo(stream.stream_id, parsed.messageId)),
      })),
    );
    return JSON.stringify({ ...event, streams, id: parsed.partPosition(index) });
  });
}

const nothingListed = { unreadIds: [], upToMessageId: 0 };

/**
 * Everything that the user held becomes read, including messages that were read before (reference facts, events 11.4); listed messages need
 * no look-up.
 */
async function leftStreamReadEvent(
  { log, view: { userId } }: Pick<Collecting, 'log' | 'view'>,
  part: Part<'left-stream-read'>,
  upToMessageId: number,
  id: number,
): Promise<string> {
  const { unreadIds, upToMessageId: aboveMessageId } = part.listed ?? nothingListed;
  const notListed =
    aboveMessageId === upToMessageId
      ? []
      : await log.heldInStream({ userId, streamId: part.streamId, aboveMessageId, upToMessageId });
  return JSON.stringify({ ...readOnLeaving([...unreadIds, ...notListed]), id });
}
