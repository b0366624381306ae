/** Where messages go: topics of streams and private conversations, made when the first message comes. */
import { foldName } from '@parley/api';
import type { Client } from '@parley/database';
import { ensurePrivateConversation } from '@parley/store';
import { ensureImportedTopics } from '@parley/store/imports';
import { LRUCache } from 'lru-cache';

import type { MessageRecord } from '../records.ts';
import { streamOf, userIdOf } from './loaded-directory.ts';
import type { LoadedDirectory } from './loaded-directory.ts';

const conversationsKept = 100_000;

export type Conversation = { readonly id: number; readonly recipientId: number };

export class Conversations {
  readonly #client: Client;
  readonly #directory: LoadedDirectory;
  readonly #known = new LRUCache<string, Conversation>({ max: conversationsKept });

  constructor(client: Client, directory: LoadedDirectory) {
    this.#client = client;
    this.#directory = directory;
  }

  /** Finds the conversations of all topics of a batch at once. */
  async findTopics(places: readonly MessageRecord['to'][]): Promise<void> {
    const wanted = new Map<string, { streamId: number; topic: string; recipientId: number }>();
    for (const to of places) {
      if (!('stream' in to)) continue;
      const { id, recipientId } = streamOf(this.#directory, to.stream);
      const key = topicKey(id, to.topic);
      if (!this.#known.has(key)) wanted.set(key, { streamId: id, topic: to.topic, recipientId });
    }
    const ids = await ensureImportedTopics(this.#client, [...wanted.values()]);
    [...wanted].forEach(([key, { recipientId }], n) => {
      this.#known.set(key, { id: ids[n] ?? 0, recipientId });
    });
  }

  /** @returns where messages to a place go, made if it is new */
  async of(to: MessageRecord['to'], sender: number): Promise<Conversation> {
    if ('stream' in to) {
      const stream = streamOf(this.#directory, to.stream);
      const known = this.#known.get(topicKey(stream.id, to.topic));
      if (known !== undefined) return known;
      const [id = 0] = await ensureImportedTopics(this.#client, [
        { streamId: stream.id, topic: to.topic },
      ]);
      return { id, recipientId: stream.recipientId };
    }
    const ids = to.participants
      .map((person) => userIdOf(this.#directory, person))
      .toSorted((a, b) => a - b);
    const key = ids.join(',');
    const found = this.#known.get(key);
    const { id, recipientId } = found ?? (await ensurePrivateConversation(this.#client, ids));
    this.#known.set(key, { id, recipientId: recipientId ?? 0 });
    if (recipientId !== null && recipientId !== 0) return { id, recipientId };
    const addressee = to.participants.find((person) => person !== sender) ?? sender;
    return { id, recipientId: this.#directory.people.users[addressee]?.recipientId ?? 0 };
  }
}

function topicKey(streamId: number, topic: string): string {
  return `${streamId} ${foldName(topic)}`;
}
