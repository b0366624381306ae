/** Every message that the client holds, once; lists hold ids. Reducers replace a message, and only what shows it is drawn anew. */
import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';

import type { Message } from './state.ts';

/** A message that changes all the time is shown as it was read last. */
const readingsMax = 4;

export class MessageStore {
  readonly #messages = new Map<number, Signal<Message>>();
  /** What changed since the readings that go on began. */
  readonly #noting = new Set<Set<number>>();

  /** @returns undefined if the client does not hold it */
  find(id: number): ReadonlySignal<Message> | undefined {
    return this.#messages.get(id);
  }

  ids(): readonly number[] {
    return [...this.#messages.keys()];
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

  updateWhere(matches: (message: Message) => boolean, change: (message: Message) => Message): void {
    for (const [id, held] of this.#messages) if (matches(held.value)) this.update(id, change);
  }

  /**
   * Reads messages, and reads them again if an event changed one of them in the meantime: the answer may be older than the event.
   *
   * @throws what the reading throws
   */
  async readUnchanged<Answer extends { readonly messages: readonly { readonly id: number }[] }>(
    read: () => Promise<Answer>,
  ): Promise<Answer> {
    for (let reading = 1; ; reading += 1) {
      const changed = new Set<number>();
      this.#noting.add(changed);
      try {
        const answer = await read();
        if (reading === readingsMax || !answer.messages.some(({ id }) => changed.has(id)))
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
