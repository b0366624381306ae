/** The beginnings of answers to polls: the same string for all queues that get the same events at the same moment. */
import type { CollectedEvent } from './collect-events.ts';

type Start = { readonly events: readonly CollectedEvent[]; readonly text: string };

export class AnswerStarts {
  /** For this turn of the event loop, by the text of the first event. */
  readonly #starts = new Map<string, Start>();

  /** @returns the JSON of an answer up to the last of its events */
  of(events: readonly CollectedEvent[]): string {
    const first = events[0]?.text ?? '';
    const known = this.#starts.get(first);
    if (known !== undefined && areSame(known.events, events)) return known.text;
    const text = `{"result":"success","msg":"","events":[${events.map((event) => event.text).join(',')}`;
    // Most polls that one entry wakes are answered in the same turn.
    if (this.#starts.size === 0) setImmediate(() => this.#starts.clear());
    this.#starts.set(first, { events, text });
    return text;
  }
}

function areSame(some: readonly CollectedEvent[], others: readonly CollectedEvent[]): boolean {
  return (
    some.length === others.length && some.every(({ text }, index) => text === others[index]?.text)
  );
}
