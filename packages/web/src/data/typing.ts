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

export class Typing {
  readonly #client: Requests;
  readonly #state: State;
  readonly #ends = new Map<string, ReturnType<typeof setTimeout>>();
  #told: { readonly conversation: PrivateConversation; readonly at: number } | undefined;
  #stopping: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Requests, state: State) {
    this.#client = client;
    this.#state = state;
  }

  /** Somebody was heard of; the own writing is not shown. */
  receive(op: 'start' | 'stop', conversation: Conversation, userId: number): void {
    if (userId === this.#state.self.peek().user_id) return;
    const key = conversationKey(conversation);
    const name = `${key}/${userId}`;
    clearTimeout(this.#ends.get(name));
    this.#ends.delete(name);
    const { typing } = this.#state;
    const people = new Set(typing.peek().get(key));
    if (op === 'start') people.add(userId);
    else if (!people.delete(userId)) return;
    typing.value = new Map(typing.peek()).set(key, people);
    if (op === 'start')
      this.#ends.set(
        name,
        setTimeout(() => this.receive('stop', conversation, userId), heardMs),
      );
  }

  /**
   * Called with each change of what is written; only private conversations are told.
   *
   * @param conversation undefined if nothing is being written any more
   */
  tell(conversation: Conversation | undefined): void {
    clearTimeout(this.#stopping);
    if (conversation?.type !== 'private') {
      this.#stop();
      return;
    }
    if (!isSameConversation(this.#told?.conversation, conversation)) this.#stop();
    const now = Date.now();
    if (this.#told === undefined || now - this.#told.at >= repeatMs) {
      this.#told = { conversation, at: now };
      this.#post('start', conversation);
    }
    this.#stopping = setTimeout(() => this.#stop(), idleMs);
  }

  #stop(): void {
    if (this.#told === undefined) return;
    this.#post('stop', this.#told.conversation);
    this.#told = undefined;
  }

  #post(op: 'start' | 'stop', { userIds }: PrivateConversation): void {
    // A lost word about typing is not worth a message to the person.
    void this.#client
      .request('POST /typing', { op, to: JSON.stringify(userIds) }, { repeatsMax: 0 })
      .catch(() => undefined);
  }
}
