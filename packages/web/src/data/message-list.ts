/**
 * The messages of one narrow that the client has read so far: a range without gaps, extended at both ends on demand and, once it reaches the
 * newest message, by events.
 */
import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { Requests } from '@parley/client';

import type { MessageStore } from './message-store.ts';
import { narrowKey } from './narrow.ts';
import type { Narrow } from './narrow.ts';

/** Messages of one request. */
const pageSize = 100;

export type Anchor = number | 'first_unread' | 'newest';

/** Highlighted copies of a search's hits. */
export type Match = { readonly content: string | undefined; readonly topic: string | undefined };

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
  #reading = new AbortController();

  constructor(client: Requests, store: MessageStore, narrow: Narrow) {
    this.narrow = narrow;
    this.key = narrowKey(narrow);
    this.#client = client;
    this.#store = store;
  }

  /** Replaces what the list holds by the messages around an anchor. */
  async load(anchor: Anchor): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const page = await this.#read('start', anchor, pageSize / 2, pageSize / 2);
    if (page === undefined) return;
    this.ids.value = page.ids;
    this.hasOldest.value = page.foundOldest;
    this.hasNewest.value = page.foundNewest;
    this.anchorId.value = page.anchor;
  }

  async loadOlder(): Promise<void> {
    const [oldest] = this.ids.value;
    if (oldest === undefined || this.hasOldest.value || this.loading.value !== undefined) return;
    const page = await this.#read('older', oldest, pageSize, 0);
    if (page === undefined) return;
    this.ids.value = [...page.ids.filter((id) => id < oldest), ...this.ids.value];
    this.hasOldest.value = page.foundOldest;
  }

  async loadNewer(): Promise<void> {
    const newest = this.ids.value.at(-1);
    if (newest === undefined || this.hasNewest.value || this.loading.value !== undefined) return;
    const page = await this.#read('newer', newest, 0, pageSize);
    if (page === undefined) return;
    this.ids.value = [...this.ids.value, ...page.ids.filter((id) => id > newest)];
    this.hasNewest.value = page.foundNewest;
  }

  /** Adds a new message at the end; only a list that has the newest message may know that nothing is missing between. */
  append(id: number): void {
    const newest = this.ids.value.at(-1) ?? 0;
    if (this.hasNewest.value && id > newest) this.ids.value = [...this.ids.value, id];
  }

  remove(removed: ReadonlySet<number>): void {
    if (this.ids.value.some((id) => removed.has(id)))
      this.ids.value = this.ids.value.filter((id) => !removed.has(id));
  }

  async #read(
    end: 'start' | 'older' | 'newer',
    anchor: Anchor,
    before: number,
    after: number,
  ): Promise<
    | {
        readonly ids: readonly number[];
        readonly foundOldest: boolean;
        readonly foundNewest: boolean;
        readonly anchor: number;
      }
    | undefined
  > {
    const { signal } = this.#reading;
    this.loading.value = end;
    this.failure.value = undefined;
    try {
      const answer = await this.#client.request(
        'GET /messages',
        {
          anchor: String(anchor),
          num_before: before,
          num_after: after,
          narrow: [...this.narrow],
          apply_markdown: true,
          client_gravatar: false,
        },
        { signal },
      );
      if (signal.aborted) return undefined;
      for (const message of answer.messages) this.#store.put(message);
      this.#keepMatches(answer.messages);
      return {
        ids: answer.messages.map(({ id }) => id),
        foundOldest: answer.found_oldest,
        foundNewest: answer.found_newest,
        anchor: answer.anchor,
      };
    } catch (failure) {
      if (!signal.aborted) this.failure.value = failure;
      return undefined;
    } finally {
      if (!signal.aborted) this.loading.value = undefined;
    }
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
    this.matches.value = new Map([
      ...this.matches.value,
      ...found.map(
        ({ id, match_content, match_subject }) =>
          [id, { content: match_content, topic: match_subject }] as const,
      ),
    ]);
  }
}
