/** Default streams and their groups as clients see them (reference facts, streams 8.4 and 8.5). */
import type { Queryable } from '@parley/database';
import {
  findStreamsByIds,
  listDefaultStreamGroups,
  listDefaultStreams,
  maySeeStream,
} from '../index.ts';
import type { Stream } from '../index.ts';

import { streamJson } from './streams.ts';
import type { StreamJson } from './streams.ts';

export type DefaultStreamGroupJson = {
  readonly name: string;
  readonly id: number;
  readonly description: string;
  readonly streams: readonly StreamJson[];
};

/** A list for two kinds of people: administrators see all of it, other members only public streams. */
export type ListForMembers<Item> = {
  readonly forAdministrators: readonly Item[];
  readonly forPlainMembers: readonly Item[];
  /** Whether both lists are the same. */
  readonly isSame: boolean;
};

function isShownToMembers(stream: Stream): boolean {
  return maySeeStream({ role: 'member' }, stream, false);
}

/**
 * The default streams as clients see them. A private default stream is shown to administrators, who know of all streams, and hidden from
 * others, who must not learn of it from a list (architecture, What always holds).
 */
export async function readDefaultStreams(db: Queryable): Promise<ListForMembers<StreamJson>> {
  const streams = await listDefaultStreams(db);
  const open = streams.filter(isShownToMembers);
  return {
    forAdministrators: streams.map(streamJson),
    forPlainMembers: open.map(streamJson),
    isSame: open.length === streams.length,
  };
}

/** The groups as clients see them, with the same rule as `readDefaultStreams` for the streams in them. */
export async function readDefaultStreamGroups(
  db: Queryable,
): Promise<ListForMembers<DefaultStreamGroupJson>> {
  const groups = await listDefaultStreamGroups(db);
  const streams = await findStreamsByIds(db, [
    ...new Set(groups.flatMap(({ streamIds }) => streamIds)),
  ]);
  const byId = new Map(streams.map((stream) => [stream.id, stream]));
  const shown = (isShown: (stream: Stream) => boolean): DefaultStreamGroupJson[] =>
    groups.map(({ id, name, description, streamIds }) => ({
      name,
      id,
      description,
      streams: streamIds.flatMap((streamId) => {
        const stream = byId.get(streamId);
        return stream !== undefined && !stream.isDeactivated && isShown(stream)
          ? [streamJson(stream)]
          : [];
      }),
    }));
  return {
    forAdministrators: shown(() => true),
    forPlainMembers: shown(isShownToMembers),
    isSame: streams.every(isShownToMembers),
  };
}
