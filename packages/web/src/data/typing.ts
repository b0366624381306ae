/** Who is writing a private message: telling others, and hearing of them. */
import type { Requests } from '@parley/client';

import { conversationKey, isSameConversation } from './narrow.ts';
import type { Conversation, PrivateConversation } from './narrow.ts';
import type { State } from './state.ts';

/** Clients repeat the start of typing this often (reference facts, events 15.1). */
const repeatMs = 10_000;

/** Without a further key for this long, the person has stopped. */
const idleMs = 5_000;

/** Without another word, somebody has stopped. */
const heardMs = 15_000;

export function createTyping(client: Requests, { self, typing }: State) {
  const ends = new Map<string, ReturnType<typeof setTimeout>>();
  let told: { readonly conversation: PrivateConversation; readonly at: number } | undefined;
  let stopping: ReturnType<typeof setTimeout> | undefined;

  /** Somebody was heard of; the own writing is not shown. */
  function receive(op: 'start' | 'stop', conversation: Conversation, userId: number): void {
    if (userId === self.peek().user_id) return;
    const key = conversationKey(conversation);
    const name = `${key}/${userId}`;
    clearTimeout(ends.get(name));
    ends.delete(name);
    const people = new Set(typing.peek().get(key));
    if (op === 'start') {
      people.add(userId);
      ends.set(
        name,
        setTimeout(() => receive('stop', conversation, userId), heardMs),
      );
    } else if (!people.delete(userId)) return;
    typing.value = new Map(typing.peek()).set(key, people);
  }

  function post(op: 'start' | 'stop', { userIds }: PrivateConversation): void {
    // A lost word about typing is not worth a message to the person.
    void client
      .request('POST /typing', { op, to: JSON.stringify(userIds) }, { repeatsMax: 0 })
      .catch(() => undefined);
  }

  function stop(): void {
    if (told !== undefined) post('stop', told.conversation);
    told = undefined;
  }

  /**
   * Called with each change of what is written; only private conversations are told.
   *
   * @param conversation undefined if nothing is being written any more
   */
  function tell(conversation: Conversation | undefined): void {
    clearTimeout(stopping);
    if (!isSameConversation(told?.conversation, conversation)) stop();
    if (conversation?.type !== 'private') return;
    const now = Date.now();
    if (told === undefined || now - told.at >= repeatMs) {
      told = { conversation, at: now };
      post('start', conversation);
    }
    stopping = setTimeout(stop, idleMs);
  }

  return { receive, tell };
}
