import type { ApiEvent } from '@parley/api/events';
import { findReadableStream, lockOwnAccount } from '@parley/store/access';
import { badRequest, limits, withoutCode } from '@parley/api';
import { ownEventsEntry } from '@parley/event-log';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import {
  countMutedTopics,
  findStreamById,
  findStreamByName,
  holdMutedStreamNames,
  knowsOfStream,
  listMutedTopics,
  lockStreamInUse,
  muteTopic,
  unmuteTopic,
} from '@parley/store';
import type { Stream } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import type { StreamReference } from '../streams/stream-reference.ts';

/** Muting topics (contract, Muted topic; reference facts, streams 7). */

export type MutedTopicChange = {
  readonly stream: StreamReference;
  /** Not trimmed; in any letter case. */
  readonly topic: string;
};

type Actor = Pick<Caller, 'userId' | 'role'>;

function findStream(client: Client, which: StreamReference): Promise<Stream | undefined> {
  return 'name' in which
    ? findStreamByName(client, which.name.trim())
    : findStreamById(client, which.streamId);
}

async function mute(client: Client, actor: Actor, change: MutedTopicChange): Promise<void> {
  const { stream: which, topic } = change;
  const found = await findStream(client, which);
  if (found !== undefined) await lockStreamInUse(client, found.id);
  const stream = found && (await findReadableStream(client, actor, { streamId: found.id }));
  if (stream === undefined) {
    throw badRequest('name' in which ? `Invalid stream name '${which.name}'` : 'Invalid stream id');
  }
  if (!(await muteTopic(client, actor.userId, stream.id, topic))) {
    throw withoutCode('Topic already muted');
  }
  const max = limits.mutedTopicsMax;
  if ((await countMutedTopics(client, actor.userId)) > max)
    throw badRequest(`You may mute at most ${max} topics.`);
}

async function unmute(client: Client, actor: Actor, change: MutedTopicChange): Promise<void> {
  const { stream: which, topic } = change;
  const stream = await findStream(client, which);
  if (stream !== undefined && (await unmuteTopic(client, actor.userId, stream.id, topic))) return;
  // A stream that the caller may not know of looks like one that does not exist.
  const isKnown =
    stream !== undefined &&
    !stream.isDeactivated &&
    (await knowsOfStream(client, actor.userId, stream.id));
  throw isKnown ? withoutCode('Topic is not muted') : badRequest('Topic is not muted');
}

/**
 * Mutes or unmutes a topic for the caller, and sends the caller's queues the new list of muted topics. Muting requires a stream that the
 * caller can read; unmuting requires only the mute.
 *
 * @throws ApiError without a code when the topic is muted already, or is not muted; `BAD_REQUEST` for a stream that the caller does not
 *   know, and for too many muted topics
 */
export async function changeMutedTopic(
  context: SubscriptionsContext,
  caller: Caller,
  operation: 'add' | 'remove',
  change: MutedTopicChange,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    const actor = { userId: user.id, role: user.role };
    await (operation === 'add' ? mute : unmute)(client, actor, change);
    // The event replaces the clients' list, so no rename may come between reading the names and the event.
    await holdMutedStreamNames(client, user.id);
    const event: ApiEvent = {
      type: 'muted_topics',
      muted_topics: await listMutedTopics(client, user.id),
    };
    return { result: undefined, append: { entries: [ownEventsEntry(user.id, [event])] } };
  });
}
