/** The lists that were opened last. A list that is shown again is shown at once, in its old place. */
import type { Requests } from '@parley/client';

import { putIn } from './reducers/change.ts';
import { MessageList } from './message-list.ts';
import { MessageStore } from './message-store.ts';
import { allMessages, narrowKey } from './narrow.ts';
import type { Narrow } from './narrow.ts';
import { narrowPredicate } from './narrow-predicate.ts';
import type { Message, State } from './state.ts';

/** Messages that the recent conversations are those of. */
const newestMax = 1_000;

/** Lists are kept with their messages; the one opened longest ago goes. */
const listsMax = 12;

/** What the server puts before the name of a stream that is archived. */
const archivedMark = /^!+DEACTIVATED:/;

function noteFormerStreams({ streams, formerStreams }: State, messages: readonly Message[]): void {
  for (const message of messages) {
    if (message.type !== 'stream') continue;
    const { stream_id, display_recipient } = message;
    if (streams.peek().has(stream_id) || formerStreams.peek().has(stream_id)) continue;
    putIn(formerStreams, [[stream_id, display_recipient.replace(archivedMark, '')]]);
  }
}

export class MessageLists {
  readonly store: MessageStore;
  /** The newest messages of all. */
  readonly newest: MessageList;
  readonly #state: State;
  readonly #lists = new Map<string, MessageList>();

  constructor(client: Requests, state: State) {
    this.store = new MessageStore(client, (messages) => noteFormerStreams(state, messages));
    this.#state = state;
    this.newest = this.#create(allMessages, newestMax);
  }

  #create(narrow: Narrow, newestMax?: number): MessageList {
    return new MessageList({
      store: this.store,
      narrow,
      newestMax,
      onLeft: () => this.#forgetUnheld(),
    });
  }

  get #all(): readonly MessageList[] {
    return [this.newest, ...this.#lists.values()];
  }

  /** The list of a narrow, which begins empty: see `MessageList.load`. */
  open(narrow: Narrow): MessageList {
    const key = narrowKey(narrow);
    const list = this.#lists.get(key) ?? this.#create(narrow);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > listsMax && oldest !== undefined) {
      this.#lists.delete(oldest);
      this.#forgetUnheld();
    }
    return list;
  }

  /** A copy of a message with marked words, for those who come to it from the search that found it. */
  matchOf(id: number) {
    const lists = [...this.#lists.values()];
    return lists
      .map(({ matches }) => matches.value.get(id))
      .findLast((match) => match !== undefined);
  }

  /** Adds a new message to all lists that it belongs to. */
  receive(message: Message): void {
    this.store.put(message);
    let isHeld = false;
    for (const list of this.#all) {
      const belongs = narrowPredicate(list.narrow, this.#state)(message);
      if (belongs === true && list.append(message.id)) isHeld = true;
      // Only the server knows: the end of the list is open again, and the next look at it asks.
      if (belongs === undefined) list.hasNewest.value = false;
    }
    if (!isHeld) this.store.forget(message.id);
  }

  remove(ids: readonly number[]): void {
    const removed = new Set(ids);
    for (const list of this.#all) list.remove(removed);
    for (const id of removed) this.store.delete(id);
  }

  /**
   * Messages changed in a way that may move them between narrows.
   *
   * @param isConcerned whether they may have come to a narrow, or left it
   */
  rejudge(ids: readonly number[], isConcerned: (narrow: Narrow) => boolean): void {
    const held = ids.flatMap((id) => this.store.find(id)?.peek() ?? []);
    for (const list of this.#all) {
      if (!isConcerned(list.narrow)) continue;
      const judge = narrowPredicate(list.narrow, this.#state);
      const leaving = held.filter((message) => judge(message) === false);
      list.remove(new Set(leaving.map(({ id }) => id)));
      // What the client does not hold, or cannot judge, only the server can place.
      const isKnown = held.length === ids.length && held.every((each) => judge(each) !== undefined);
      if (isKnown && list.loading.peek() === undefined)
        list.insert(held.filter((message) => judge(message) === true).map(({ id }) => id));
      else void list.refresh();
    }
  }

  /** Of a text that was found and is another one now only the server knows whether it is still found. */
  showNewText(id: number): void {
    for (const list of this.#all) {
      if (!list.matches.peek().has(id)) continue;
      list.forgetMatch(id);
      void list.refresh();
    }
  }

  /** Reads the newest messages, unless that was done. */
  async loadNewest(): Promise<void> {
    const { hasNewest, failure, loading } = this.newest;
    const isCurrent = hasNewest.peek() && failure.peek() === undefined;
    if (!isCurrent && loading.peek() === undefined) await this.newest.load('newest');
  }

  /** Reads lists again, each at its place; all of them after events were lost. */
  refresh(isConcerned: (list: MessageList) => boolean = () => true): void {
    for (const list of this.#all) if (isConcerned(list)) void list.refresh();
  }

  /**
   * Reads the unread messages of a narrow, from one on and to another at least.
   *
   * @throws ApiError or NoAnswerError
   */
  async readUnread(within: Narrow, firstId: number, lastId: number): Promise<readonly Message[]> {
    const messages: Message[] = [];
    const narrow = [...within, { operator: 'is', operand: 'unread' }];
    let anchor = firstId;
    for (let isWhole = false; !isWhole;) {
      const page = await this.store.read({
        anchor: String(anchor),
        num_before: 0,
        num_after: newestMax,
        narrow,
      });
      messages.push(...page.messages);
      anchor = (page.messages.at(-1)?.id ?? Infinity) + 1;
      isWhole = page.found_newest || anchor > lastId;
    }
    return messages;
  }

  #forgetUnheld(): void {
    this.store.retain(new Set(this.#all.flatMap((list) => list.held)));
  }
}
