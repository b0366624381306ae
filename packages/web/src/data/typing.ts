/** Telling others that the person is writing to them. */
import type { Requests } from '@parley/client';

import { conversationKey } from './narrow.ts';
import type { Conversation } from './narrow.ts';

/** Clients repeat the start of typing this often (reference facts, events 15.1). */
const repeatMs = 10_000;

/** Without a further key for this long, the person has stopped. */
const idleMs = 5_000;

export class Typing {
  readonly #client: Requests;
  #told: { readonly userIds: readonly number[]; readonly key: string; at: number } | undefined;
  #stopping: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Requests) {
    this.#client = client;
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
    const key = conversationKey(conversation);
    if (this.#told?.key !== key) this.#stop();
    const now = Date.now();
    if (this.#told === undefined || now - this.#told.at >= repeatMs) {
      this.#told = { userIds: conversation.userIds, key, at: now };
      this.#post('start', conversation.userIds);
    }
    this.#stopping = setTimeout(() => this.#stop(), idleMs);
  }

  #stop(): void {
    if (this.#told === undefined) return;
    this.#post('stop', this.#told.userIds);
    this.#told = undefined;
  }

  #post(op: 'start' | 'stop', userIds: readonly number[]): void {
    // A lost word about typing is not worth a message to the person.
    void this.#client
      .request('POST /typing', { op, to: JSON.stringify(userIds) }, { repeatsMax: 0 })
      .catch(() => undefined);
  }
}
