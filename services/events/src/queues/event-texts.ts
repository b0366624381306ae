/**
 * What is sent of events, to polls and to streams: the same string for all queues that get the same events at the same moment. Both are
 * made of the events' JSON, which is made once for the node.
 */
import type { CollectedEvent } from './collect-events.ts';

type Texts = {
  readonly events: readonly CollectedEvent[];
  answerStart: string | undefined;
  streamPart: string | undefined;
};

export class EventTexts {
  /** For this turn of the event loop, by the text of the first event. */
  readonly #texts = new Map<string, Texts>();

  /** @returns the JSON of a poll's answer up to the last of its events */
  answerStartOf(events: readonly CollectedEvent[]): string {
    const texts = this.#of(events);
    texts.answerStart ??= `{"result":"success","msg":"","events":[${events.map(({ text }) => text).join(',')}`;
    return texts.answerStart;
  }

  /** @returns the events as Server-Sent Events */
  streamPartOf(events: readonly CollectedEvent[]): string {
    const texts = this.#of(events);
    texts.streamPart ??= events.map(({ id, text }) => `id: ${id}\ndata: ${text}\n\n`).join('');
    return texts.streamPart;
  }

  #of(events: readonly CollectedEvent[]): Texts {
    const first = events[0]?.text ?? '';
    const known = this.#texts.get(first);
    if (known !== undefined && areSame(known.events, events)) return known;
    // Most readers that one entry wakes are told in the same turn.
    if (this.#texts.size === 0) setImmediate(() => this.#texts.clear());
    const texts: Texts = { events, answerStart: undefined, streamPart: undefined };
    this.#texts.set(first, texts);
    return texts;
  }
}

function areSame(some: readonly CollectedEvent[], others: readonly CollectedEvent[]): boolean {
  return (
    some.length === others.length && some.every(({ text }, index) => text === others[index]?.text)
  );
}
