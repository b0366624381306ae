/**
 * The messages of one narrow that the client has read so far: a range without gaps, extended at both ends on demand and, once it reaches the
 * newest message, by events.
 */
import { batch, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { AnswerOf, Requests } from '@parley/client';

import type { MessageStore } from './message-store.ts';
import { narrowKey } from './narrow.ts';
import type { Narrow } from './narrow.ts';

/** Messages of one request. */
const pageSize = 100;

/** A list keeps this many; what is farthest from where it grows goes, and is read again when it is needed. */
export const keptMax = 600;

export type Anchor = number | 'first_unread' | 'newest';

/** Highlighted copies of a search's hits. */
export type Match = { readonly content: string | undefined; readonly topic: string | undefined };

type Page = {
  readonly ids: readonly number[];
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
  readonly anchor: number;
};

export class MessageList {
  readonly narrow: Narrow;
  readonly key: string;
  /** Ascending. */
  readonly ids: Signal<readonly number[]> = signal([]);
  readonly hasOldest = signal(false);
  readonly hasNewest = signal(false);
  /** Which end is being read. */
  readonly loading: Signal<'start' | 'older' | 'newer' | undefined> = signal(undefined);
  /** Why the last reading failed, until the next begins. */
  readonly failure: Signal<unknown> = signal(undefined);
  /** The message that the first page was read around. */
  readonly anchorId: Signal<number | undefined> = signal(undefined);
  readonly matches: Signal<ReadonlyMap<number, Match>> = signal(new Map());
  readonly #client: Requests;
  readonly #store: MessageStore;
  readonly #onLeft: () => void;
  #reading = new AbortController();
  /** Where the list began; undefined until it was loaded. */
  #anchor: Anchor | undefined;
  /** New messages that came during a reading, whose answer may not have them. */
  #arrived: number[] = [];

  /** @param options.onLeft called when the list no longer holds messages that it held */
  constructor(
    client: Requests,
    options: {
      readonly store: MessageStore;
      readonly narrow: Narrow;
      readonly onLeft: () => void;
    },
  ) {
    this.narrow = options.narrow;
    this.key = narrowKey(options.narrow);
    this.#client = client;
    this.#store = options.store;
    this.#onLeft = options.onLeft;
  }

  /** All messages that the list needs. */
  get held(): readonly number[] {
    return [...this.ids.peek(), ...this.#arrived];
  }

  /** Replaces what the list holds by the messages around an anchor. */
  async load(anchor: Anchor): Promise<void> {
    this.#anchor = anchor;
    const page = await this.#read('start', { anchor, before: pageSize / 2, after: pageSize / 2 });
    if (page === undefined) return;
    this.#replace(page);
    this.anchorId.value = page.anchor;
  }

  async loadOlder(): Promise<void> {
    const [oldest] = this.ids.peek();
    if (oldest === undefined || this.hasOldest.peek() || this.loading.peek() !== undefined) return;
    const page = await this.#read('older', { anchor: oldest, before: pageSize, after: 0 });
    if (page === undefined) return;
    batch(() => {
      this.ids.value = [...page.ids.filter((id) => id < oldest), ...this.ids.peek()];
      this.hasOldest.value = page.foundOldest;
      this.#cutNewest();
    });
  }

  async loadNewer(): Promise<void> {
    const newest = this.ids.peek().at(-1);
    if (newest === undefined || this.hasNewest.peek() || this.loading.peek() !== undefined) return;
    const page = await this.#read('newer', { anchor: newest, before: 0, after: pageSize });
    if (page === undefined) return;
    batch(() => {
      this.ids.value = [...this.ids.peek(), ...page.ids.filter((id) => id > newest)];
      this.hasNewest.value = page.foundNewest;
      this.#appendArrived();
      this.#cutOldest();
    });
  }

  /** Reads the range that the list holds again, at its place; or begins again, if nothing was read. */
  async refresh(): Promise<void> {
    const held = this.ids.peek();
    const [oldest] = held;
    if (oldest === undefined || this.loading.peek() === 'start') {
      if (this.#anchor !== undefined) await this.load(this.#anchor);
      return;
    }
    const before = this.hasOldest.peek() ? pageSize : 0;
    const after = Math.min(held.length + pageSize, keptMax);
    const page = await this.#read('newer', { anchor: oldest, before, after });
    if (page !== undefined) this.#replace({ ...page, foundOldest: before > 0 && page.foundOldest });
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
    if (!this.hasNewest.peek()) return false;
    if (id > (this.ids.peek().at(-1) ?? 0)) this.ids.value = [...this.ids.peek(), id];
    this.#cutOldest();
    return true;
  }

  /** Adds messages that belong to the narrow now, as far as they lie in the range. */
  insert(added: readonly number[]): void {
    const held = new Set(this.ids.peek());
    const oldest = this.hasOldest.peek() ? 0 : this.ids.peek()[0];
    const newest = this.hasNewest.peek() ? Infinity : this.ids.peek().at(-1);
    const within = added.filter(
      (id) => !held.has(id) && id > (oldest ?? Infinity) && id < (newest ?? 0),
    );
    if (within.length > 0)
      this.ids.value = [...held, ...within].toSorted((one, other) => one - other);
  }

  remove(removed: ReadonlySet<number>): void {
    this.#arrived = this.#arrived.filter((id) => !removed.has(id));
    if (this.ids.peek().some((id) => removed.has(id)))
      this.ids.value = this.ids.peek().filter((id) => !removed.has(id));
  }

  #replace(page: Page): void {
    batch(() => {
      this.ids.value = page.ids;
      this.hasOldest.value = page.foundOldest;
      this.hasNewest.value = page.foundNewest;
      this.#appendArrived();
    });
    this.#onLeft();
  }

  #appendArrived(): void {
    const newest = this.ids.peek().at(-1) ?? 0;
    const arrived = this.#arrived.filter((id) => id > newest);
    this.#arrived = [];
    if (this.hasNewest.peek() && arrived.length > 0)
      this.ids.value = [...this.ids.peek(), ...arrived];
  }

  #cutOldest(): void {
    if (this.ids.peek().length <= keptMax) return;
    this.ids.value = this.ids.peek().slice(-keptMax);
    this.hasOldest.value = false;
    this.#onLeft();
  }

  #cutNewest(): void {
    if (this.ids.peek().length <= keptMax) return;
    this.ids.value = this.ids.peek().slice(0, keptMax);
    this.hasNewest.value = false;
    this.#onLeft();
  }

  /** Ends a reading in progress, and reads. Returns undefined if it failed, or ended for another. */
  async #read(
    end: 'start' | 'older' | 'newer',
    range: { readonly anchor: Anchor; readonly before: number; readonly after: number },
  ): Promise<Page | undefined> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal: ending } = this.#reading;
    this.loading.value = end;
    this.failure.value = undefined;
    try {
      const answer = await this.#store.readUnchanged(() => this.#request(range, ending));
      if (ending.aborted) return undefined;
      for (const message of answer.messages) this.#store.put(message);
      this.#keepMatches(answer.messages);
      return {
        ids: answer.messages.map(({ id }) => id),
        foundOldest: answer.found_oldest,
        foundNewest: answer.found_newest,
        anchor: answer.anchor,
      };
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

  #request(
    {
      anchor,
      before,
      after,
    }: { readonly anchor: Anchor; readonly before: number; readonly after: number },
    ending: AbortSignal,
  ): Promise<AnswerOf<'GET /messages'>> {
    return this.#client.request(
      'GET /messages',
      {
        anchor: String(anchor),
        num_before: before,
        num_after: after,
        narrow: [...this.narrow],
        apply_markdown: true,
        client_gravatar: false,
      },
      { signal: ending },
    );
  }

  #keepMatches(
    messages: readonly {
      readonly id: number;
      readonly match_content?: string;
      readonly match_subject?: string;
    }[],
  ): void {
    const found = messages.filter(({ match_content }) => match_content !== undefined);
    if (found.length === 0) return;
    const held = new Set(this.ids.peek());
    this.matches.value = new Map([
      ...[...this.matches.peek()].filter(([id]) => held.has(id)),
      ...found.map(
        ({ id, match_content, match_subject }) =>
          [id, { content: match_content, topic: match_subject }] as const,
      ),
    ]);
  }
}
