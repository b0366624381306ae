/** The lists that were opened last. A list that is shown again is shown at once, in its old place. */
import type { Requests } from '@parley/client';

import { MessageList } from './message-list.ts';
import { MessageStore } from './message-store.ts';
import { narrowKey } from './narrow.ts';
import type { Narrow } from './narrow.ts';
import { narrowPredicate } from './narrow-predicate.ts';
import type { Message, State } from './state.ts';

/** Lists are kept with their messages; the one opened longest ago goes. */
const listsMax = 12;

export class MessageLists {
  readonly store = new MessageStore();
  readonly #client: Requests;
  readonly #state: State;
  readonly #lists = new Map<string, MessageList>();

  constructor(client: Requests, state: State) {
    this.#client = client;
    this.#state = state;
  }

  /** The list of a narrow, which begins empty: see `MessageList.load`. */
  open(narrow: Narrow): MessageList {
    const key = narrowKey(narrow);
    const list = this.#lists.get(key) ?? new MessageList(this.#client, this.store, narrow);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    this.#forgetOldest();
    return list;
  }

  /** Adds a new message to all lists that it belongs to. */
  receive(message: Message): void {
    this.store.put(message);
    for (const list of this.#lists.values()) {
      const belongs = narrowPredicate(list.narrow, this.#state)(message);
      if (belongs === true) list.append(message.id);
      // Only the server knows: the end of the list is open again, and the next look at it asks.
      if (belongs === undefined) list.hasNewest.value = false;
    }
  }

  remove(ids: readonly number[]): void {
    const removed = new Set(ids);
    for (const list of this.#lists.values()) list.remove(removed);
    for (const id of removed) this.store.delete(id);
  }

  /** After a change that moves messages between narrows: each list decides anew what of it still belongs. */
  refilter(ids: readonly number[]): void {
    for (const list of this.#lists.values()) {
      const belongs = narrowPredicate(list.narrow, this.#state);
      const left = ids.filter((id) => {
        const message = this.store.find(id)?.peek();
        return message !== undefined && belongs(message) === false;
      });
      list.remove(new Set(left));
    }
  }

  /** After events were lost: what is held may be old. */
  reload(): void {
    for (const list of this.#lists.values())
      if (list.ids.peek().length > 0) void list.load(list.ids.peek().at(-1) ?? 'newest');
  }

  #forgetOldest(): void {
    const [oldest] = this.#lists.keys();
    if (this.#lists.size <= listsMax || oldest === undefined) return;
    this.#lists.delete(oldest);
    this.store.retain(new Set([...this.#lists.values()].flatMap((list) => list.ids.peek())));
  }
}
