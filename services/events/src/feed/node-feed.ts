/**
 * The log and the users whose queues this node serves. The follower passes entries in order; each is parsed once, applied to the views, and
 * delivered to the users it concerns.
 */
import type { ChangeEntry, LogEffect, MessageSentEntry, PositionedEntry } from '@parley/event-log';

import type { EventQueue } from '../queues/event-queue.ts';
import { listensToPublicStreams } from '../queues/queue-filter.ts';
import { entitledParts, isAmong, messageEntitlement } from './entitlement.ts';
import { LogTail } from './log-tail.ts';
import { ParsedEntry } from './parsed-entry.ts';
import { UserFeed } from './user-feed.ts';
import type { UserView } from './user-view.ts';

export type NodeFeedOptions = {
  readonly tail: { readonly entriesMax: number; readonly bytesMax: number };
  /** The most references to entries of the tail per user. */
  readonly deliveriesMax: number;
  /**
   * Reads a user's view in one snapshot, and resolves once the node has read all entries up to that snapshot's head, so that queues read
   * complete data from the node.
   */
  readonly loadView: (
    userId: number,
  ) => Promise<{ readonly view: UserView; readonly exactAt: number }>;
  readonly findQueue: (queueId: string) => EventQueue | undefined;
  /** Called for an entry that this release cannot read: the node must stop serving. */
  readonly onUnreadableEntry: (error: unknown) => void;
};

export class NodeFeed {
  readonly tail: LogTail;
  readonly #options: NodeFeedOptions;
  readonly #users = new Map<number, UserFeed>();
  readonly #loading = new Map<number, Promise<UserFeed>>();
  readonly #members = new Map<number, Set<UserFeed>>();
  /** Users with a queue that listens to all public streams. */
  readonly #listeners = new Set<UserFeed>();
  #canRead = true;
  #listsCut = 0;
  /** The last position received from the follower. */
  #takenUpTo = 0;
  /** Counts resets: work that began before a reset is discarded. */
  #resets = 0;

  constructor(options: NodeFeedOptions) {
    this.#options = options;
    this.tail = new LogTail(0, options.tail);
  }

  /** False after an entry of a newer format, when this node must no longer serve. */
  get canRead(): boolean {
    return this.#canRead;
  }

  /** How often a user's list was full, and its older half dropped. */
  get listsCut(): number {
    return this.#listsCut;
  }

  get userCount(): number {
    return this.#users.size;
  }

  /** Attaches a queue to its user, after loading the user's view if necessary. */
  async attach(queue: EventQueue): Promise<void> {
    let feed = await this.#feedOf(queue.userId);
    // The user may have been forgotten meanwhile; a feed that is no longer filled must not be used.
    while (this.#users.get(queue.userId) !== feed) feed = await this.#feedOf(queue.userId);
    feed.queues.add(queue);
    queue.feed = feed;
    if (listensToPublicStreams(queue.descriptor) && !this.#listeners.has(feed)) {
      this.#listeners.add(feed);
      feed.listeningFrom = this.#takenUpTo;
    }
  }

  detach(queue: EventQueue): void {
    const feed = this.#users.get(queue.userId);
    if (feed === undefined || queue.feed !== feed) return;
    queue.feed = undefined;
    feed.queues.delete(queue);
    if (![...feed.queues].some((other) => listensToPublicStreams(other.descriptor))) {
      this.#listeners.delete(feed);
      feed.listeningFrom = undefined;
    }
    if (feed.queues.size > 0) return;
    this.#users.delete(feed.userId);
    for (const streamId of feed.view.currentStreamIds()) this.#removeMember(streamId, feed);
  }

  async #feedOf(userId: number): Promise<UserFeed> {
    const known = this.#users.get(userId) ?? this.#loading.get(userId);
    if (known !== undefined) return known;
    const started = this.#load(userId).finally(() => {
      if (this.#loading.get(userId) === started) this.#loading.delete(userId);
    });
    this.#loading.set(userId, started);
    return started;
  }

  async #load(userId: number): Promise<UserFeed> {
    const resetsBefore = this.#resets;
    for (;;) {
      const { view, exactAt } = await this.#options.loadView(userId);
      const feed = new UserFeed(userId, view, exactAt, this.#options.deliveriesMax);
      // This feed is no longer filled; callers that wait for it ask again.
      if (resetsBefore !== this.#resets) return feed;
      // The tail has the entries since the snapshot, unless the read took longer than the tail reaches back.
      if (exactAt < this.tail.beginPosition) continue;
      this.#users.set(userId, feed);
      for (const streamId of view.currentStreamIds()) this.#addMember(streamId, feed);
      for (const parsed of this.tail.between(exactAt, Infinity)) {
        if (parsed.entry.kind === 'change') {
          for (const effect of parsed.entry.effects)
            this.#applyToFeed(feed, effect, parsed.position);
        }
        this.#deliverTo(feed, parsed);
      }
      return feed;
    }
  }

  /** Receives entries in order and answers the polls they concern, once per batch. */
  take(entries: readonly PositionedEntry[]): void {
    if (!this.#canRead) return;
    const touched = new Set<UserFeed>();
    for (const positioned of entries) {
      let parsed: ParsedEntry;
      try {
        parsed = new ParsedEntry(positioned);
      } catch (error) {
        this.#stopAnswering(error);
        return;
      }
      this.tail.push(parsed);
      this.#takenUpTo = parsed.end;
      this.#takeOne(parsed, touched);
    }
    for (const feed of touched) for (const queue of feed.queues) queue.wake();
  }

  /** Nothing is answered beyond an entry that this release cannot read: a later event would hide the gap. */
  #stopAnswering(error: unknown): void {
    this.#canRead = false;
    for (const feed of this.#users.values()) for (const queue of feed.queues) queue.finishTurn();
    this.#options.onUnreadableEntry(error);
  }

  #takeOne(parsed: ParsedEntry, touched: Set<UserFeed>): void {
    const { onlyStreamId } = parsed;
    const concernsNobody =
      onlyStreamId !== undefined && this.#listeners.size === 0 && !this.#members.has(onlyStreamId);
    if (concernsNobody) return;
    const { entry } = parsed;
    if (entry.kind === 'tick') return;
    if (entry.kind === 'message.sent') {
      for (const feed of this.#candidatesOf(entry))
        if (this.#deliverTo(feed, parsed)) touched.add(feed);
      return;
    }
    for (const effect of entry.effects) {
      for (const feed of this.#affectedBy(effect)) {
        if (parsed.position > feed.viewExactAt) this.#applyToFeed(feed, effect, parsed.position);
      }
      this.#endQueues(effect);
    }
    for (const feed of this.#audienceOf(entry))
      if (this.#deliverTo(feed, parsed)) touched.add(feed);
  }

  #affectedBy(effect: LogEffect): UserFeed[] {
    if (effect.effect === 'stream-ended') return [...(this.#members.get(effect.streamId) ?? [])];
    return affectedUserIds(effect).flatMap((userId) => this.#users.get(userId) ?? []);
  }

  /** A superset of the users of this node whom a change concerns. */
  #audienceOf(entry: ChangeEntry): Iterable<UserFeed> {
    const named = new Set<number>();
    for (const part of entry.events) {
      if (part.form === 'subscription-add') named.add(part.userId);
      else if (part.form === 'shared-subscription-add' || part.form === 'left-stream-read')
        for (const id of part.userIds) named.add(id);
      else if (part.form === 'same' && part.audience.to === 'users')
        for (const id of part.audience.userIds) named.add(id);
      else if (part.form === 'of-message' && part.message.participantIds !== undefined)
        for (const id of [...part.message.participantIds, ...part.message.lateHolderIds])
          named.add(id);
      else return this.#users.values();
    }
    return [...named].flatMap((userId) => this.#users.get(userId) ?? []);
  }

  /** A superset of this node's users that are entitled to the message; each is checked later. */
  *#candidatesOf(entry: MessageSentEntry): Generator<UserFeed> {
    const named = [
      ...(entry.participantIds ?? []),
      ...entry.lateReceiptIds,
      ...entry.reactingBotIds,
    ];
    const seen = new Set<UserFeed>();
    for (const userId of named) {
      const feed = this.#users.get(userId);
      if (feed !== undefined) seen.add(feed);
    }
    if (entry.stream !== undefined) {
      for (const feed of this.#members.get(entry.stream.id) ?? []) seen.add(feed);
      if (entry.stream.isPublic) for (const feed of this.#listeners) seen.add(feed);
    }
    yield* seen;
  }

  #deliverTo(feed: UserFeed, parsed: ParsedEntry): boolean {
    const { view } = feed;
    // Entries that the view already knows are read from the tail or by replay.
    if (parsed.position <= feed.coverageFrom) return false;
    if (!concerns(parsed, view)) return false;
    if (feed.deliver(parsed)) this.#listsCut += 1;
    return true;
  }

  #applyToFeed(feed: UserFeed, effect: LogEffect, position: number): void {
    const { view, userId } = feed;
    switch (effect.effect) {
      case 'joined':
        if (!isAmong(effect.userIds, userId)) break;
        view.join(effect.streamId, position);
        this.#addMember(effect.streamId, feed);
        break;
      case 'left':
        if (!isAmong(effect.userIds, userId)) break;
        view.leave(effect.streamId, position);
        this.#removeMember(effect.streamId, feed);
        break;
      case 'stream-ended':
        view.leave(effect.streamId, position);
        this.#removeMember(effect.streamId, feed);
        break;
      case 'account':
        if (effect.userId === userId) view.changeAccount(effect.role, effect.isActive, position);
        break;
      case 'key-changed':
      case 'queue-ended':
        break;
    }
  }

  #endQueues(effect: LogEffect): void {
    if (effect.effect === 'queue-ended') {
      this.#options.findQueue(effect.queueId)?.end();
    } else if (effect.effect === 'account' && !effect.isActive) {
      for (const queue of this.#users.get(effect.userId)?.queues ?? []) queue.end();
    } else if (effect.effect === 'key-changed') {
      // The reader was authenticated by the old key; the next one must use the new key.
      for (const queue of this.#users.get(effect.userId)?.queues ?? []) queue.finishTurn();
    }
  }

  #addMember(streamId: number, feed: UserFeed): void {
    const members = this.#members.get(streamId);
    if (members === undefined) this.#members.set(streamId, new Set([feed]));
    else members.add(feed);
  }

  #removeMember(streamId: number, feed: UserFeed): void {
    const members = this.#members.get(streamId);
    members?.delete(feed);
    if (members?.size === 0) this.#members.delete(streamId);
  }

  /** Forgets entries that the tail no longer holds. */
  forgetOld(): void {
    for (const feed of this.#users.values()) feed.forgetBefore(this.tail.beginPosition);
  }

  /** Everything derived from the log is void: all users are forgotten, with their queues. */
  reset(beginPosition: number): void {
    for (const feed of this.#users.values()) {
      for (const queue of feed.queues) {
        queue.feed = undefined;
        queue.finishTurn();
      }
    }
    this.#users.clear();
    this.#loading.clear();
    this.#members.clear();
    this.#listeners.clear();
    this.#resets += 1;
    this.#takenUpTo = beginPosition;
    this.tail.clear(beginPosition);
  }
}

function affectedUserIds(
  effect: Exclude<LogEffect, { readonly effect: 'stream-ended' }>,
): readonly number[] {
  switch (effect.effect) {
    case 'joined':
    case 'left':
      return effect.userIds;
    case 'account':
    case 'key-changed':
      return [effect.userId];
    case 'queue-ended':
      return [];
  }
}

/** @returns whether any event of the entry may be for the user; the queues' filters come later */
export function concerns(parsed: ParsedEntry, view: UserView): boolean {
  const { entry, position } = parsed;
  if (entry.kind === 'message.sent') return messageEntitlement(entry, view, position) !== 'none';
  return entry.kind === 'change' && entitledParts(entry, view, position).length > 0;
}
