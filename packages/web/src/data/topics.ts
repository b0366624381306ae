/** Topics of streams, read from the server when they are first asked for, and kept by events. */
import { foldName } from '@parley/api/fold';
import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { Requests } from '@parley/client';

/** Streams whose topics are kept; those asked for longest ago go. */
const streamsMax = 50;

export function createTopics(client: Requests) {
  const streams = new Map<number, Signal<readonly string[]>>();

  async function read(streamId: number, topics: Signal<readonly string[]>): Promise<void> {
    try {
      const answer = await client.request('GET /users/me/{stream_id}/topics', {
        stream_id: streamId,
      });
      topics.value = answer.topics.map(({ name }) => name);
    } catch {
      // What asks next tries again.
      if (streams.get(streamId) === topics) streams.delete(streamId);
    }
  }

  return {
    /** The topics of a stream as their newest messages spell them, the newest first; empty until the server has answered. */
    of(streamId: number): ReadonlySignal<readonly string[]> {
      const known = streams.get(streamId);
      const topics = known ?? signal<readonly string[]>([]);
      streams.delete(streamId);
      streams.set(streamId, topics);
      const [oldest] = streams.keys();
      if (streams.size > streamsMax && oldest !== undefined) streams.delete(oldest);
      if (known === undefined) void read(streamId, topics);
      return topics;
    },
    /** A message came, with its spelling of the topic. */
    receive(streamId: number, name: string): void {
      const topics = streams.get(streamId);
      if (topics === undefined) return;
      const folded = foldName(name);
      topics.value = [name, ...topics.value.filter((topic) => foldName(topic) !== folded)];
    },
    /** Messages of these streams moved or are gone: only the server knows what is left of their topics. */
    reread(streamIds: Iterable<number> = streams.keys()): void {
      for (const streamId of streamIds) {
        const topics = streams.get(streamId);
        if (topics !== undefined) void read(streamId, topics);
      }
    },
  };
}
