/**
 * The messages of one narrow that the client has read so far: a range without gaps, extended at both ends on demand and, once it reaches the
 * newest message, by events.
 */
import { batch, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { AnswerOf } from '@parley/client';

import type { MessageStore } from './message-store.ts';
import { ascending } from './narrow.ts';
import type { Narrow } from './narrow.ts';

/** Messages of one request. */
const pageSize = 100;

/** A list keeps this many, which are all in the page; what is farthest from where it grows goes, and is read again when it is needed. */
export const keptMax = 300;

type Page = AnswerOf<'GET /messages'>;
type Anchor = number | 'first_unread' | 'newest';

export type MessageListOptions = {
  readonly store: MessageStore;
  readonly narrow: Narrow;
  /** Called when the list no longer holds messages that it held. */
  readonly onLeft: () => void;
  /** The list keeps only so many of the newest messages. */
  readonly newestMax?: number | undefined;
};

export class MessageList {
  readonly narrow: Narrow;
  /** Ascending. */
  readonly ids: Signal<readonly number[]> = signal([]);
  readonly hasOldest = signal(false);
  readonly hasNewest = signal(false);
  /** Which end is being read. */
  readonly loading: Signal<'start' | 'older' | 'newer' | undefined> = signal(undefined);
  /** Why the last reading failed, until the next begins. */
  readonly failure: Signal<unknown> = signal(undefined);
  /** The words of a search that are too common to be looked for. */
  readonly ignoredWords: Signal<readonly string[]> = signal([]);
  /** The hits of a search, which have highlighted copies of what was found, by id. */
  readonly matches: Signal<ReadonlyMap<number, Page['messages'][number]>> = signal(new Map());
  /** The message that a reader sees. Undefined for one who is at the end, and without one. What is farthest from there goes first. */
  readerAt: number | undefined;
  readonly #options: MessageListOptions;
  #reading = new AbortController();
  /** Where the list began; undefined until it was loaded. */
  #anchor: Anchor | undefined;
  /** New messages that came during a reading, whose answer may not have them. */
  #arrived: number[] = [];

  constructor(options: MessageListOptions) {
    this.narrow = options.narrow;
    this.#options = options;
  }

  /** All messages that the list needs. */
  get held(): readonly number[] {
    return [...this.ids.peek(), ...this.#arrived];
  }

  /** Replaces what the list holds by the messages around an anchor. */
  async load(anchor: Anchor): Promise<void> {
    this.#anchor = anchor;
    const size = this.#options.newestMax ?? pageSize / 2;
    const page = await this.#read('start', anchor, size, size);
    if (page !== undefined) this.#replace(page);
  }

  /** Reads more messages at an end, unless nothing comes after it, or another reading goes on. */
  async extend(end: 'older' | 'newer'): Promise<void> {
    const isOlder = end === 'older';
    const edge = this.ids.peek().at(isOlder ? 0 : -1);
    const isLast = isOlder ? this.hasOldest : this.hasNewest;
    if (edge === undefined || isLast.peek() || this.loading.peek() !== undefined) return;
    const [before, after] = isOlder ? [pageSize, 0] : [0, pageSize];
    const page = await this.#read(end, edge, before, after);
    if (page === undefined) return;
    batch(() => {
      this.#add(idsOf(page));
      isLast.value = isOlder ? page.found_oldest : page.found_newest;
      this.#appendArrived();
      this.#cut();
    });
  }

  /** Reads the range that the list holds again, at its place; or begins again, if nothing was read. */
  async refresh(): Promise<void> {
    const held = this.ids.peek();
    const [oldest] = held;
    const isStarting = oldest === undefined || this.loading.peek() === 'start';
    if (isStarting || this.#options.newestMax !== undefined) {
      if (this.#anchor !== undefined) await this.load(this.#anchor);
      return;
    }
    const before = this.hasOldest.peek() ? pageSize : 0;
    const page = await this.#read('newer', oldest, before, held.length + pageSize);
    if (page !== undefined)
      this.#replace({ ...page, found_oldest: before > 0 && page.found_oldest });
  }

  /**
   * Adds a new message at the end. Only a list that has the newest message may know that nothing is missing between.
   *
   * @returns whether the list holds it
   */
  append(id: number): boolean {
    if (this.loading.peek() === 'start' || this.loading.peek() === 'newer') {
      this.#arrived.push(id);
      return true;
    }
    // What comes at the end takes nothing away from a reader who is elsewhere.
    if (this.readerAt !== undefined && this.ids.peek().length >= this.#max)
      this.hasNewest.value = false;
    if (!this.hasNewest.peek()) return false;
    this.#add([id]);
    // A page at a time, so that not every new message costs that.
    if (this.ids.peek().length > this.#max) this.#cut(this.#max - pageSize);
    return true;
  }

  /** Adds messages that belong to the narrow now, as far as they lie in the range. */
  insert(added: readonly number[]): void {
    const held = this.ids.peek();
    const oldest = this.hasOldest.peek() ? 0 : (held[0] ?? Infinity);
    const newest = this.hasNewest.peek() ? Infinity : (held.at(-1) ?? 0);
    this.#add(added.filter((id) => id > oldest && id < newest));
  }

  remove(removed: ReadonlySet<number>): void {
    this.#arrived = this.#arrived.filter((id) => !removed.has(id));
    if (this.ids.peek().some((id) => removed.has(id)))
      this.ids.value = this.ids.peek().filter((id) => !removed.has(id));
  }

  /** Shows a message as it is, without what was marked in it. */
  forgetMatch(id: number): void {
    this.matches.value = new Map([...this.matches.peek()].filter(([held]) => held !== id));
  }

  #replace(page: Page): void {
    batch(() => {
      this.ids.value = idsOf(page);
      this.hasOldest.value = page.found_oldest;
      this.hasNewest.value = page.found_newest;
      this.ignoredWords.value = page.ignored_words ?? [];
      this.#appendArrived();
      this.#cut();
    });
    this.#options.onLeft();
  }

  #appendArrived(): void {
    if (this.hasNewest.peek()) this.#add(this.#arrived);
    this.#arrived = [];
  }

  #add(added: readonly number[]): void {
    const held = new Set(this.ids.peek());
    const ids = held.union(new Set(added));
    if (ids.size > held.size) this.ids.value = ascending(ids);
  }

  get #max(): number {
    return this.#options.newestMax ?? keptMax;
  }

  /** Forgets what is farthest from the reader if there are too many messages. */
  #cut(kept = this.#max): void {
    const ids = this.ids.peek();
    const spare = ids.length - kept;
    if (spare <= 0) return;
    const { readerAt = Infinity } = this;
    const before = ids.filter((id) => id < readerAt).length;
    const start = Math.min(Math.max(0, before - kept / 2), spare);
    this.ids.value = ids.slice(start, start + kept);
    if (start > 0) this.hasOldest.value = false;
    if (start < spare) this.hasNewest.value = false;
    this.#options.onLeft();
  }

  /**
   * Ends a reading in progress, and reads so many messages around an anchor.
   *
   * @returns undefined if it failed, or ended for another
   */
  async #read(
    end: 'start' | 'older' | 'newer',
    anchor: Anchor,
    num_before: number,
    num_after: number,
  ): Promise<Page | undefined> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal: ending } = this.#reading;
    const { store } = this.#options;
    this.loading.value = end;
    this.failure.value = undefined;
    try {
      const asked = { anchor: String(anchor), num_before, num_after, narrow: this.narrow };
      const page = await store.read(asked, ending);
      if (ending.aborted) return undefined;
      for (const message of page.messages) store.put(message);
      this.#keepMatches(page);
      return page;
    } catch (failure) {
      if (!ending.aborted) {
        this.failure.value = failure;
        // What came during the reading is no longer known to follow what the list holds.
        if (this.#arrived.length > 0) this.hasNewest.value = false;
        this.#arrived = [];
      }
      return undefined;
    } finally {
      if (!ending.aborted) this.loading.value = undefined;
    }
  }

  #keepMatches({ messages }: Page): void {
    const found = messages.filter(({ match_content }) => match_content !== undefined);
    if (found.length === 0) return;
    const held = new Set(this.ids.peek());
    this.matches.value = new Map([
      ...[...this.matches.peek()].filter(([id]) => held.has(id)),
      ...found.map((message) => [message.id, message] as const),
    ]);
  }
}

function idsOf({ messages }: Page): readonly number[] {
  return messages.map(({ id }) => id);
}
