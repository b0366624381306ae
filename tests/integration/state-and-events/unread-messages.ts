/** A client's unread messages: from `unread_msgs`, from message events, and old ones by request. */
import type { JsonObject } from '@parley/test-kit';
import { foldName } from '@parley/api';

import type { Item } from './state-item.ts';

/** Muted and subscribed streams. */
type Lists = {
  readonly state: Item;
  findById(key: string, idKey: string, id: unknown): Item | undefined;
};

/** `maybe-wildcard`: listed once it is no longer muted, if a wildcard mentions everybody there; `some`: one of the two. */
type Mention = 'none' | 'direct' | 'wildcard' | 'some' | 'maybe-wildcard';

export type UnreadMessage = {
  readonly place:
    | { readonly kind: 'pm' }
    | { readonly kind: 'huddle'; readonly people: string }
    | { readonly kind: 'stream'; readonly streamId: number; readonly topic: string };
  /** Undefined if `unread_msgs` listed those of a topic together. */
  readonly senderId: number | undefined;
  readonly mention: Mention;
};

function mentionOf(flags: readonly string[]): Mention {
  if (flags.includes('mentioned')) return 'direct';
  return flags.includes('wildcard_mentioned') ? 'wildcard' : 'none';
}

/** @returns the unread message for a message from an event or from GET messages */
function unreadOf(message: JsonObject, flags: readonly string[]): UnreadMessage {
  const senderId = message['sender_id'] as number;
  const mention = mentionOf(flags);
  if (message['type'] === 'stream') {
    const streamId = message['stream_id'] as number;
    const topic = message['subject'] as string;
    return { place: { kind: 'stream', streamId, topic }, senderId, mention };
  }
  const ids = (message['display_recipient'] as Item[]).map(({ id }) => id as number);
  const people = ids.toSorted((a, b) => a - b).join(',');
  return { place: ids.length > 2 ? { kind: 'huddle', people } : { kind: 'pm' }, senderId, mention };
}

const byNumber = (a: number, b: number): number => a - b;

export class UnreadMessages {
  readonly #client: Lists;
  readonly #messages = new Map<number, UnreadMessage>();
  /** Marked as unread, and never seen before: a client requests them. */
  readonly #unseen = new Set<number>();
  /** Streams joined since register, which did not list messages that were held in them. */
  readonly #joined = new Set<number>();
  readonly #newestAtRegister: number;
  readonly #subscribedAtRegister: ReadonlySet<unknown>;

  constructor(client: Lists) {
    this.#client = client;
    this.#newestAtRegister = client.state['max_message_id'] as number;
    const subscriptions = (client.state['subscriptions'] as Item[] | undefined) ?? [];
    this.#subscribedAtRegister = new Set(subscriptions.map((one) => one['stream_id']));
    const listed = client.state['unread_msgs'] as
      | Readonly<Record<'pms' | 'streams' | 'huddles', Item[]> & { mentions: number[] }>
      | undefined;
    if (listed === undefined) return;
    const named = new Set(listed.mentions);
    const add = (group: Item, place: UnreadMessage['place'], senderId: number | undefined) => {
      const isMuted = this.#isMuted(place);
      for (const id of group['unread_message_ids'] as number[]) {
        const mention = named.has(id)
          ? isMuted || place.kind !== 'stream'
            ? 'direct'
            : 'some'
          : isMuted
            ? 'maybe-wildcard'
            : 'none';
        this.#messages.set(id, { place, senderId, mention });
      }
    };
    for (const group of listed.pms) add(group, { kind: 'pm' }, group['sender_id'] as number);
    for (const group of listed.huddles)
      add(group, { kind: 'huddle', people: group['user_ids_string'] as string }, undefined);
    for (const group of listed.streams) {
      const senders = group['sender_ids'] as number[];
      add(
        group,
        {
          kind: 'stream',
          streamId: group['stream_id'] as number,
          topic: group['topic'] as string,
        },
        senders.length === 1 ? senders[0] : undefined,
      );
    }
  }

  #isMuted(place: UnreadMessage['place']): boolean {
    if (place.kind !== 'stream') return false;
    const subscription = this.#client.findById('subscriptions', 'stream_id', place.streamId);
    if (subscription === undefined) return false;
    if (subscription['is_muted'] === true) return true;
    return (this.#client.state['muted_topics'] as [string, string][]).some(
      ([stream, topic]) =>
        stream === subscription['name'] && foldName(topic) === foldName(place.topic),
    );
  }

  receive(message: JsonObject, flags: readonly string[]): void {
    if (!flags.includes('read'))
      this.#messages.set(message['id'] as number, unreadOf(message, flags));
  }

  markRead(ids: readonly number[], all: boolean): void {
    if (all) {
      this.#messages.clear();
      this.#unseen.clear();
    }
    for (const id of ids) {
      this.#messages.delete(id);
      this.#unseen.delete(id);
    }
  }

  markUnread(ids: readonly number[]): void {
    for (const id of ids) if (!this.#messages.has(id)) this.#unseen.add(id);
  }

  move(ids: readonly number[], topic: string): void {
    for (const id of ids) {
      const message = this.#messages.get(id);
      if (message?.place.kind === 'stream')
        this.#messages.set(id, { ...message, place: { ...message.place, topic } });
    }
  }

  setFlags(id: number, flags: readonly string[]): void {
    const message = this.#messages.get(id);
    if (message !== undefined) this.#messages.set(id, { ...message, mention: mentionOf(flags) });
  }

  join(streamId: number): void {
    if (!this.#subscribedAtRegister.has(streamId)) this.#joined.add(streamId);
  }

  /**
   * Requests messages that were marked as unread and never seen, and those that register did not list in streams joined since then.
   * Newer messages arrived as events, and are not requested.
   */
  async lookUp(
    find: (id: number) => Promise<JsonObject | undefined>,
    listUnread: () => Promise<readonly JsonObject[]>,
  ): Promise<void> {
    for (const message of this.#joined.size > 0 ? await listUnread() : []) {
      const id = message['id'] as number;
      const isLeftOut =
        id <= this.#newestAtRegister && this.#joined.has(message['stream_id'] as number);
      if (isLeftOut && !this.#messages.has(id))
        this.#messages.set(id, unreadOf(message, message['flags'] as string[]));
    }
    for (const id of this.#unseen) {
      const message = await find(id);
      if (message === undefined) continue;
      this.#messages.set(id, unreadOf(message, message['flags'] as string[]));
    }
    this.#unseen.clear();
  }

  /** @returns the expected `unread_msgs`; senders of a topic are omitted if some are unknown */
  summary(): { readonly unread: Item; readonly uncertainMentions: ReadonlySet<number> } {
    const shown = [...this.#messages]
      .filter(
        ([, { place }]) =>
          place.kind !== 'stream' ||
          this.#client.findById('subscriptions', 'stream_id', place.streamId) !== undefined,
      )
      .toSorted(([a], [b]) => a - b);
    const uncertain = new Set<number>();
    const mentions: number[] = [];
    let count = 0;
    for (const [id, { place, mention }] of shown) {
      const isMuted = this.#isMuted(place);
      if (!isMuted) count += 1;
      if (mention === 'direct' || (!isMuted && (mention === 'wildcard' || mention === 'some')))
        mentions.push(id);
      else if (isMuted ? mention === 'some' : mention === 'maybe-wildcard') uncertain.add(id);
    }
    const groups = Map.groupBy(shown, ([, { place, senderId }]) => {
      if (place.kind === 'pm') return `pm ${senderId}`;
      if (place.kind === 'huddle') return `huddle ${place.people}`;
      return `stream ${place.streamId} ${foldName(place.topic)}`;
    });
    const unread: Record<'pms' | 'streams' | 'huddles', Item[]> = {
      pms: [],
      streams: [],
      huddles: [],
    };
    for (const group of groups.values()) {
      const ids = group.map(([id]) => id);
      const newest = group.at(-1)?.[1];
      if (newest === undefined) continue;
      const { place } = newest;
      if (place.kind === 'pm')
        unread.pms.push({ sender_id: newest.senderId, unread_message_ids: ids });
      else if (place.kind === 'huddle')
        unread.huddles.push({ user_ids_string: place.people, unread_message_ids: ids });
      else {
        const senders = new Set(group.map(([, { senderId }]) => senderId));
        unread.streams.push({
          stream_id: place.streamId,
          topic: place.topic,
          ...(!senders.has(undefined) && {
            sender_ids: [...(senders as Set<number>)].toSorted(byNumber),
          }),
          unread_message_ids: ids,
        });
      }
    }
    return { unread: { ...unread, mentions, count }, uncertainMentions: uncertain };
  }
}
