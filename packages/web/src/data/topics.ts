/** Topics of streams, read from the server when they are first asked for, and kept by events. */
import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { Requests } from '@parley/client';

/** Streams whose topics are kept; those asked for longest ago go. */
const streamsMax = 50;

export class Topics {
  readonly #client: Requests;
  readonly #streams = new Map<number, Signal<readonly string[]>>();

  constructor(client: Requests) {
    this.#client = client;
  }

  /** The topics of a stream as their newest messages spell them, the newest first; empty until the server has answered. */
  of(streamId: number): ReadonlySignal<readonly string[]> {
    const known = this.#streams.get(streamId);
    const topics = known ?? signal<readonly string[]>([]);
    this.#streams.delete(streamId);
    this.#streams.set(streamId, topics);
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > streamsMax && oldest !== undefined) this.#streams.delete(oldest);
    if (known === undefined) void this.#read(streamId, topics);
    return topics;
  }

  /** A message came, with its spelling of the topic. */
  receive(streamId: number, name: string): void {
    const topics = this.#streams.get(streamId);
    if (topics === undefined) return;
    const folded = name.toLowerCase();
    topics.value = [name, ...topics.value.filter((topic) => topic.toLowerCase() !== folded)];
  }

  /** Messages of these streams moved or are gone: only the server knows what is left of their topics. */
  reread(streamIds: Iterable<number> = this.#streams.keys()): void {
    for (const streamId of streamIds) {
      const topics = this.#streams.get(streamId);
      if (topics !== undefined) void this.#read(streamId, topics);
    }
  }

  async #read(streamId: number, topics: Signal<readonly string[]>): Promise<void> {
    try {
      const answer = await this.#client.request('GET /users/me/{stream_id}/topics', {
        stream_id: streamId,
      });
      topics.value = answer.topics.map(({ name }) => name);
    } catch {
      // What asks next tries again.
      if (this.#streams.get(streamId) === topics) this.#streams.delete(streamId);
    }
  }
}
