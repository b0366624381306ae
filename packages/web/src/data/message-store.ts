/** Every message that the client holds, once; lists hold ids. Reducers replace a message, and only what shows it is drawn anew. */
import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { AnswerOf, ParametersOf, Requests } from '@parley/client';

import type { Message } from './state.ts';

/** A message that changes all the time is shown as it was read last. */
const readingsMax = 4;

/** Stands for any message, where what changed is not known by its id. */
const anyId = -1;

export class MessageStore {
  readonly #client: Requests;
  readonly #onRead: (messages: readonly Message[]) => void;
  readonly #messages = new Map<number, Signal<Message>>();
  /** What changed since the readings that go on began. */
  readonly #noting = new Set<Set<number>>();

  /** @param onRead called with the messages of each answer */
  constructor(client: Requests, onRead: (messages: readonly Message[]) => void) {
    this.#client = client;
    this.#onRead = onRead;
  }

  /** @returns undefined if the client does not hold it */
  find(id: number): ReadonlySignal<Message> | undefined {
    return this.#messages.get(id);
  }

  has(id: number): boolean {
    return this.#messages.has(id);
  }

  put(message: Message): void {
    const held = this.#messages.get(message.id);
    if (held === undefined) this.#messages.set(message.id, signal(message));
    else held.value = message;
  }

  /** Changes a message that the client holds; of others nothing need be known. */
  update(id: number, change: (message: Message) => Message): void {
    this.#note(id);
    const held = this.#messages.get(id);
    if (held !== undefined) held.value = change(held.value);
  }

  /** Changes messages that the client may not hold all. */
  updateWhere(matches: (message: Message) => boolean, change: (message: Message) => Message): void {
    this.#note(anyId);
    for (const held of this.#messages.values())
      if (matches(held.value)) held.value = change(held.value);
  }

  /**
   * Reads messages, and reads them again if an event changed one of them in the meantime: the answer may be older than the event.
   *
   * @throws ApiError, NoAnswerError, or the signal's reason
   */
  async read(
    parameters: ParametersOf<'GET /messages'>,
    ending?: AbortSignal,
  ): Promise<AnswerOf<'GET /messages'>> {
    for (let reading = 1; ; reading += 1) {
      const changed = new Set<number>();
      this.#noting.add(changed);
      try {
        const answer = await this.#client.request('GET /messages', parameters, { signal: ending });
        const isOld = changed.has(anyId) || answer.messages.some(({ id }) => changed.has(id));
        if (isOld && reading < readingsMax) continue;
        this.#onRead(answer.messages);
        return answer;
      } finally {
        this.#noting.delete(changed);
      }
    }
  }

  /** Forgets a message that no list holds. */
  forget(id: number): void {
    this.#messages.delete(id);
  }

  /** Forgets all messages but these. */
  retain(ids: ReadonlySet<number>): void {
    for (const id of this.#messages.keys()) if (!ids.has(id)) this.#messages.delete(id);
  }

  /** The message no longer exists. */
  delete(id: number): void {
    this.#note(id);
    this.#messages.delete(id);
  }

  #note(id: number): void {
    for (const changed of this.#noting) changed.add(id);
  }
}
