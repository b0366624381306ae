/** Creates the streams of an import with their subscriptions. */
import type { Client } from '@parley/database';
import { descriptionRenderer } from '@parley/markdown';
import { createStreams, streamColors } from '@parley/store';
import {
  addWholeHistories,
  insertImportedMutedTopics,
  insertImportedSubscriptions,
  setImportedStreams,
} from '@parley/store/imports';
import type { Stream } from '@parley/store';
import type { ImportedSubscription } from '@parley/store/imports';

import type { Directory, StreamRecord, SubscriptionRecord } from '../records.ts';
import type { LoadedPeople } from './load-people.ts';

const rowsPerStatement = 1_000;

function* inPieces<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let piece: Item[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < rowsPerStatement) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** @returns the streams in the order of their records */
async function makeStreams(
  client: Client,
  records: readonly StreamRecord[],
  people: LoadedPeople,
  publicUrl: string,
): Promise<Stream[]> {
  const render = descriptionRenderer(publicUrl);
  const byName = new Map<string, Stream>();
  for (const piece of inPieces(records)) {
    const made = await createStreams(
      client,
      piece.map((stream) => ({
        name: stream.name,
        description: stream.description,
        renderedDescription: render(stream.description),
        inviteOnly: stream.isPrivate,
        historyPublicToSubscribers: stream.sharesHistory,
        isAnnouncementOnly: stream.isAnnouncementOnly,
        isDefault: stream.isDefault,
        creatorId:
          (stream.creator === undefined ? undefined : people.users[stream.creator]?.id) ?? null,
      })),
    );
    for (const stream of made) byName.set(stream.name, stream);
  }
  const streams = records.map(({ name }) => {
    const stream = byName.get(name);
    if (stream === undefined) throw new Error('the names of streams are not unique');
    return stream;
  });
  for (const piece of inPieces(records.entries()))
    await setImportedStreams(
      client,
      piece.map(([index, record]) => ({
        id: streams[index]?.id ?? 0,
        is_deactivated: record.isArchived,
        created_at: record.createdAt ?? null,
      })),
    );
  return streams;
}

/** Gives each person's streams the first colours of the palette that the person's other streams do not have. */
class Colors {
  /** Of the people some of whose streams have none. */
  readonly #taken = new Map<number, Set<string>>();

  constructor(subscriptions: Directory['subscriptions']) {
    for (const { person, color } of subscriptions)
      if (color === undefined && !this.#taken.has(person)) this.#taken.set(person, new Set());
    for (const { person, color } of subscriptions)
      if (color !== undefined) this.#taken.get(person)?.add(color);
  }

  next(person: number): string {
    const taken = this.#taken.get(person) ?? new Set();
    const free = streamColors.find((color) => !taken.has(color));
    const color = free ?? streamColors[taken.size % streamColors.length] ?? '#c2c2c2';
    taken.add(color);
    return color;
  }
}

export type LoadedStreams = {
  readonly streams: readonly Stream[];
  /** Who is subscribed to each stream, by ids; empty for sources that say who got which message. */
  readonly members: readonly ReadonlySet<number>[];
  /** The private streams that each person is subscribed to, by their ids. */
  readonly privateStreamIdsOf: (person: number) => readonly number[];
};

/** Creates streams, subscriptions and muted topics. */
export async function loadStreams(
  client: Client,
  directory: Directory,
  people: LoadedPeople,
  publicUrl: string,
): Promise<LoadedStreams> {
  const streams = await makeStreams(client, directory.streams, people, publicUrl);
  const colors = new Colors(directory.subscriptions);
  const members = directory.streams.map(() => new Set<number>());
  const privateIds = new Map<number, number[]>();
  const rowOf = (subscription: SubscriptionRecord): ImportedSubscription => {
    const { person, stream: index, notifications } = subscription;
    const [user, stream] = [people.users[person], streams[index]];
    if (user === undefined || stream === undefined)
      throw new Error('a subscription refers to nobody or nothing');
    if (!directory.hasReceipts) members[index]?.add(user.id);
    if (stream.inviteOnly) {
      const own = privateIds.get(person) ?? [];
      own.push(stream.id);
      privateIds.set(person, own);
    }
    return {
      user_id: user.id,
      stream_id: stream.id,
      is_active: directory.streams[index]?.isArchived !== true,
      color: subscription.color ?? colors.next(person),
      is_muted: subscription.isMuted,
      pin_to_top: subscription.pinToTop,
      desktop_notifications: notifications.desktop,
      audible_notifications: notifications.audible,
      push_notifications: notifications.push,
      email_notifications: notifications.email,
      wildcard_mentions_notify: notifications.wildcardMentions,
    };
  };
  for (const piece of inPieces(directory.subscriptions)) {
    const rows = piece.map(rowOf);
    await insertImportedSubscriptions(client, rows);
    if (!directory.hasReceipts)
      await addWholeHistories(
        client,
        rows.map((row) => ({ userId: row.user_id, streamId: row.stream_id })),
      );
  }
  for (const piece of inPieces(directory.mutedTopics))
    await insertImportedMutedTopics(
      client,
      piece.map(({ person, stream, topic, mutedAt }) => ({
        userId: people.users[person]?.id ?? 0,
        streamId: streams[stream]?.id ?? 0,
        topic,
        mutedAt: mutedAt ?? null,
      })),
    );
  return { streams, members, privateStreamIdsOf: (person) => privateIds.get(person) ?? [] };
}
