/** Every message that the client holds, once; lists hold ids. Reducers replace a message, and only what shows it is drawn anew. */
import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';

import type { Message } from './state.ts';

export class MessageStore {
  readonly #messages = new Map<number, Signal<Message>>();

  /** @returns undefined if the client does not hold it */
  find(id: number): ReadonlySignal<Message> | undefined {
    return this.#messages.get(id);
  }

  put(message: Message): void {
    const held = this.#messages.get(message.id);
    if (held === undefined) this.#messages.set(message.id, signal(message));
    else held.value = message;
  }

  /** Changes a message that the client holds; of others nothing need be known. */
  update(id: number, change: (message: Message) => Message): void {
    const held = this.#messages.get(id);
    if (held !== undefined) held.value = change(held.value);
  }

  /** Forgets all messages but these. */
  retain(ids: ReadonlySet<number>): void {
    for (const id of this.#messages.keys()) if (!ids.has(id)) this.#messages.delete(id);
  }

  delete(id: number): void {
    this.#messages.delete(id);
  }
}
