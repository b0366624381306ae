/** Marking messages as read. What is unread changes with the server's event alone, so that all devices agree. */
import { ApiError } from '@parley/client';
import type { Requests } from '@parley/client';

import { conversationKey, conversationOf, streamIdOf } from './narrow.ts';
import type { Narrow } from './narrow.ts';
import type { State } from './state.ts';

/** Messages seen within this time are marked together. */
const batchMs = 300;
const batchMax = 1_000;

export function createReading(client: Requests, { unread, unreadConversations }: State) {
  const seen = new Set<number>();
  /** Told to the server, whose event is on its way. */
  const told = new Set<number>();
  /** What the person marked as unread in the place that is shown. */
  const kept = new Set<number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flushSoon(): void {
    if (seen.size > 0) timer ??= setTimeout(() => void flush(), batchMs);
  }

  /** Marks what the person has before their eyes as read, in batches. */
  function see(ids: Iterable<number>): void {
    for (const id of ids) if (unread.peek().has(id) && !told.has(id) && !kept.has(id)) seen.add(id);
    flushSoon();
  }

  /** Marks all messages of a narrow, as far as they are known to be unread. */
  async function markNarrowRead(narrow: Narrow): Promise<void> {
    kept.clear();
    const conversation = conversationOf(narrow);
    const streamId = streamIdOf(narrow);
    if (narrow.length === 0) await client.request('POST /mark_all_as_read');
    else if (conversation?.type === 'stream')
      await client.request('POST /mark_topic_as_read', {
        stream_id: conversation.streamId,
        topic_name: conversation.topic,
      });
    else if (conversation !== undefined)
      see(unreadConversations.peek().get(conversationKey(conversation))?.ids ?? []);
    else if (streamId !== undefined && narrow.length === 1)
      await client.request('POST /mark_stream_as_read', { stream_id: streamId });
    else if (narrow[0]?.operand === 'mentioned')
      see([...unread.peek()].flatMap(([id, { mention }]) => (mention === undefined ? [] : [id])));
  }

  /** Marks now what was seen: before the page is left, and when the connection is back. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const messages = [...seen].slice(0, batchMax);
    if (messages.length === 0) return;
    for (const id of messages) {
      seen.delete(id);
      told.add(id);
    }
    try {
      await client.request('POST /messages/flags', { messages, op: 'add', flag: 'read' });
    } catch (failure) {
      // What had no answer is told again with the next batch, or when the connection is back.
      if (!(failure instanceof ApiError)) for (const id of messages) seen.add(id);
    } finally {
      for (const id of messages) told.delete(id);
    }
    flushSoon();
  }

  /** Marks messages as unread, which they stay until the place is left, whatever is seen. */
  async function markUnread(messages: readonly number[]): Promise<void> {
    for (const id of messages) kept.add(id);
    if (messages.length > 0)
      await client.request('POST /messages/flags', { messages, op: 'remove', flag: 'read' });
  }

  /** The place is left. */
  function leave(): void {
    kept.clear();
  }

  return { see, markNarrowRead, markUnread, leave, flush };
}
