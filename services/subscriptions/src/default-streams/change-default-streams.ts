import { checkListRoom, findReadableStream, lockAdministrator } from '@parley/store/access';
import { audienceKey, changeEntry } from '@parley/event-log';
import { badRequest, limits } from '@parley/api';
import type { Caller } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import {
  findStreamById,
  findStreamByName,
  listDefaultStreams,
  lockDefaultStreams,
  lockStreams,
  updateStream,
} from '@parley/store';
import type { Stream, User } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { textsOf } from '../streams/description.ts';
import type { StreamReference } from '../streams/stream-reference.ts';
import { defaultStreamsEvents } from './default-stream-events.ts';

/**
 * Runs a change of the lists of default streams, made by an administrator and one at a time. The events that `work` returns become one
 * entry; without events there is none.
 *
 * @throws ApiError `Must be an organization administrator`
 */
export async function changeLists(
  context: SubscriptionsContext,
  caller: Caller,
  work: (client: Client, actor: User) => Promise<readonly EventPart[]>,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const actor = await lockAdministrator(client, caller);
    await lockDefaultStreams(client);
    const events = await work(client, actor);
    if (events.length === 0) return { result: undefined };
    const entry = { entry: changeEntry({ events }), audience: audienceKey.everyone };
    return { result: undefined, append: { entries: [entry] } };
  });
}

function invalidStream(which: StreamReference): Error {
  return badRequest('name' in which ? `Invalid stream name '${which.name}'` : 'Invalid stream id');
}

/**
 * Locks a stream that an administrator names.
 *
 * @throws ApiError with the stream's name as given, if there is no such stream
 */
async function lockNamed(client: Client, found: Stream | undefined, which: StreamReference) {
  if (found === undefined) throw invalidStream(which);
  const [stream] = await lockStreams(client, { streamIds: [found.id] });
  if (stream === undefined || stream.isDeactivated) throw invalidStream(which);
  return stream;
}

/**
 * Adds a default stream, which new people join (reference facts, streams 8.4).
 *
 * @throws ApiError if the stream does not exist or the administrator cannot read it
 */
export async function addDefaultStream(
  context: SubscriptionsContext,
  caller: Caller,
  which: StreamReference,
): Promise<void> {
  await changeLists(context, caller, async (client, actor) => {
    const reader = { userId: actor.id, role: actor.role };
    const found = await findReadableStream(
      client,
      reader,
      'name' in which ? { name: which.name.trim() } : which,
    );
    const stream = await lockNamed(client, found, which);
    if (stream.isDefault) return [];
    const max = limits.defaultStreamsMax;
    if ((await listDefaultStreams(client)).length >= max)
      throw badRequest(`There may be at most ${max} default streams.`);
    await updateStream(client, stream.id, { isDefault: true });
    const events = await defaultStreamsEvents(client);
    await checkListRoom(client, context.lists, actor, {
      texts: { defaultStreams: { before: [], after: textsOf(stream) } },
    });
    return events;
  });
}

/**
 * Removes a default stream; the events are sent even if it was none (reference facts, streams 8.4).
 *
 * @throws ApiError for a stream that does not exist
 */
export async function removeDefaultStream(
  context: SubscriptionsContext,
  caller: Caller,
  which: StreamReference,
): Promise<void> {
  await changeLists(context, caller, async (client) => {
    const found =
      'name' in which
        ? await findStreamByName(client, which.name.trim())
        : await findStreamById(client, which.streamId);
    const stream = await lockNamed(client, found, which);
    if (stream.isDefault) await updateStream(client, stream.id, { isDefault: false });
    return defaultStreamsEvents(client);
  });
}
