/** Marking messages as read. What is unread changes with the server's event alone, so that all devices agree. */
import { ApiError } from '@parley/client';
import type { Requests } from '@parley/client';

import { conversationKey, conversationOf, streamIdOf } from './narrow.ts';
import type { Narrow } from './narrow.ts';
import type { State } from './state.ts';

/** Messages seen within this time are marked together. */
const batchMs = 300;
const batchMax = 1_000;

export class Reading {
  readonly #client: Requests;
  readonly #state: State;
  #seen = new Set<number>();
  /** Told to the server, whose event is on its way. */
  readonly #told = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Requests, state: State) {
    this.#client = client;
    this.#state = state;
  }

  /** Marks what the person has before their eyes as read, in batches. */
  see(ids: Iterable<number>): void {
    const unread = this.#state.unread.peek();
    for (const id of ids) if (unread.has(id) && !this.#told.has(id)) this.#seen.add(id);
    if (this.#seen.size > 0) this.#timer ??= setTimeout(() => void this.flush(), batchMs);
  }

  /** Marks all messages of a narrow, as far as they are known to be unread. */
  async markNarrowRead(narrow: Narrow): Promise<void> {
    const { unread, unreadConversations } = this.#state;
    const conversation = conversationOf(narrow);
    const streamId = streamIdOf(narrow);
    if (narrow.length === 0) await this.#client.request('POST /mark_all_as_read');
    else if (conversation?.type === 'stream')
      await this.#client.request('POST /mark_topic_as_read', {
        stream_id: conversation.streamId,
        topic_name: conversation.topic,
      });
    else if (conversation !== undefined)
      this.see(unreadConversations.peek().get(conversationKey(conversation))?.ids ?? []);
    else if (streamId !== undefined && narrow.length === 1)
      await this.#client.request('POST /mark_stream_as_read', { stream_id: streamId });
    else if (narrow[0]?.operand === 'mentioned')
      this.see([...unread.peek()].flatMap(([id, { mentionsSelf }]) => (mentionsSelf ? [id] : [])));
  }

  /** Marks now what was seen: before the page is left, and when the connection is back. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const messages = [...this.#seen].slice(0, batchMax);
    if (messages.length === 0) return;
    for (const id of messages) {
      this.#seen.delete(id);
      this.#told.add(id);
    }
    try {
      await this.#client.request('POST /messages/flags', { messages, op: 'add', flag: 'read' });
    } catch (failure) {
      // What had no answer is told again with the next batch, or when the connection is back.
      if (!(failure instanceof ApiError)) for (const id of messages) this.#seen.add(id);
    } finally {
      for (const id of messages) this.#told.delete(id);
    }
    if (this.#seen.size > 0) this.#timer ??= setTimeout(() => void this.flush(), batchMs);
  }
}
