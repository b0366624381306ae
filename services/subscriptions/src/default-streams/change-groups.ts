import { checkListRoom, filterReadableStreams } from '@parley/store/access';
import { badRequest, checkLength, foldName, limits, withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import {
  createDefaultStreamGroup,
  deleteDefaultStreamGroup,
  findDefaultStreamGroup,
  isDefaultStreamGroupNameTaken,
  listDefaultStreamGroups,
  lockStreams,
  updateDefaultStreamGroup,
} from '@parley/store';
import type { DefaultStreamGroup, Stream, User } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { textsOf } from '../streams/description.ts';
import { changeLists } from './change-default-streams.ts';
import { defaultStreamGroupsEvents } from './default-stream-events.ts';

/** Groups of default streams (reference facts, streams 8.5). Every change sends all groups again. */

function checkName(name: string): void {
  if (name.trim() === '') throw badRequest(`Invalid default stream group name '${name}'`);
  if (Array.from(name).length > limits.streamNameMaxCodePoints) {
    throw badRequest(
      `Default stream group name too long (limit: ${limits.streamNameMaxCodePoints} characters)`,
    );
  }
  if (name.includes('\0')) {
    throw badRequest(`Default stream group name '${name}' contains NULL (0x00) characters.`);
  }
}

async function checkNameIsFree(client: Client, name: string): Promise<void> {
  if (await isDefaultStreamGroupNameTaken(client, name)) {
    throw badRequest(`Default stream group '${name}' already exists`);
  }
}

async function getGroup(client: Client, groupId: number): Promise<DefaultStreamGroup> {
  const group = await findDefaultStreamGroup(client, groupId);
  if (group === undefined) {
    throw badRequest(`Default stream group with id '${groupId}' does not exist.`);
  }
  return group;
}

/** @returns the streams, each once, in the order of their names here */
async function lockReadable(
  client: Client,
  actor: User,
  names: readonly string[],
): Promise<Stream[]> {
  const wanted = new Map<string, string>();
  for (const name of names) {
    const folded = foldName(name.trim());
    if (!wanted.has(folded)) wanted.set(folded, name);
  }
  const locked = await lockStreams(client, { names: [...wanted.keys()] });
  const readable = await filterReadableStreams(
    client,
    { userId: actor.id, role: actor.role },
    locked,
  );
  const byName = new Map(readable.map((stream) => [foldName(stream.name), stream]));
  return [...wanted].map(([folded, name]) => {
    const stream = byName.get(folded);
    if (stream === undefined) throw badRequest(`Invalid stream name '${name}'`);
    return stream;
  });
}

function checkNoDefaults(streams: readonly Stream[], groupName: string): void {
  const standard = streams.find(({ isDefault }) => isDefault);
  if (standard !== undefined) {
    throw badRequest(
      `'${standard.name}' is a default stream and cannot be added to '${groupName}'`,
    );
  }
}

/** @throws ApiError if the groups, with the change that was just made, are too many or too large for one event */
async function checkSizes(client: Client): Promise<void> {
  const groups = await listDefaultStreamGroups(client);
  const { defaultStreamGroupsMax, defaultStreamGroupStreamsMax } = limits;
  if (groups.length > defaultStreamGroupsMax)
    throw badRequest(`There may be at most ${defaultStreamGroupsMax} default stream groups.`);
  const streams = groups.reduce((sum, { streamIds }) => sum + streamIds.length, 0);
  if (streams > defaultStreamGroupStreamsMax)
    throw badRequest(
      `Default stream groups may have at most ${defaultStreamGroupStreamsMax} streams together.`,
    );
}

/** @throws ApiError with the first refusal of the reference facts, streams 8.5 */
export async function createGroup(
  context: SubscriptionsContext,
  caller: Caller,
  group: {
    readonly name: string;
    readonly description: string;
    readonly streamNames: readonly string[];
  },
): Promise<void> {
  await changeLists(context, caller, async (client, actor) => {
    const streams = await lockReadable(client, actor, group.streamNames);
    checkNoDefaults(streams, group.name);
    checkName(group.name);
    await checkNameIsFree(client, group.name);
    await createDefaultStreamGroup(client, {
      name: group.name,
      description: group.description,
      streamIds: streams.map(({ id }) => id),
    });
    await checkSizes(client);
    const events = await defaultStreamGroupsEvents(client);
    await checkRoom(context, client, actor, {
      before: [],
      after: [group.name, group.description, ...streams.flatMap(textsOf)],
    });
    return events;
  });
}

/** @throws ApiError if the texts of all groups with their streams are larger than everybody should get */
async function checkRoom(
  { lists }: SubscriptionsContext,
  client: Client,
  actor: User,
  texts: { readonly before: readonly string[]; readonly after: readonly string[] },
): Promise<void> {
  await checkListRoom(client, lists, actor, { texts: { defaultStreamGroups: texts } });
}

/** @throws ApiError with the first refusal of the reference facts, streams 8.5 */
export async function changeGroup(
  context: SubscriptionsContext,
  caller: Caller,
  groupId: number,
  change: { readonly name: string | undefined; readonly description: string | undefined },
): Promise<void> {
  const { name, description } = change;
  if ((name ?? '') === '' && (description ?? '') === '') {
    throw withoutCode('You must pass "new_description" or "new_group_name".');
  }
  checkLength('new_description', description ?? '', limits.streamDescriptionMaxCodePoints);
  await changeLists(context, caller, async (client, actor) => {
    const group = await getGroup(client, groupId);
    if (name !== undefined) {
      if (name === group.name)
        throw badRequest(`This default stream group is already named '${name}'`);
      checkName(name);
      await checkNameIsFree(client, name);
    }
    await updateDefaultStreamGroup(client, {
      ...group,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    });
    const events = await defaultStreamGroupsEvents(client);
    await checkRoom(context, client, actor, {
      before: [group.name, group.description],
      after: [name ?? group.name, description ?? group.description],
    });
    return events;
  });
}

/** @throws ApiError with the first refusal of the reference facts, streams 8.5 */
export async function changeGroupStreams(
  context: SubscriptionsContext,
  caller: Caller,
  groupId: number,
  operation: string,
  streamNames: readonly string[],
): Promise<void> {
  await changeLists(context, caller, async (client, actor): Promise<EventPart[]> => {
    const group = await getGroup(client, groupId);
    const streams = await lockReadable(client, actor, streamNames);
    const streamIds = new Set(group.streamIds);
    if (operation === 'add') {
      checkNoDefaults(streams, group.name);
      for (const { id, name } of streams) {
        if (streamIds.has(id)) {
          throw badRequest(
            `Stream '${name}' is already present in default stream group '${group.name}'`,
          );
        }
        streamIds.add(id);
      }
    } else if (operation === 'remove') {
      for (const { id, name } of streams) {
        if (!streamIds.delete(id)) {
          throw badRequest(
            `Stream '${name}' is not present in default stream group '${group.name}'`,
          );
        }
      }
    } else {
      throw withoutCode('Invalid value for "op". Specify one of "add" or "remove".');
    }
    await updateDefaultStreamGroup(client, { ...group, streamIds: [...streamIds] });
    if (operation === 'add') await checkSizes(client);
    const events = await defaultStreamGroupsEvents(client);
    if (operation === 'add')
      await checkRoom(context, client, actor, { before: [], after: streams.flatMap(textsOf) });
    return events;
  });
}

/** @throws ApiError when there is no such group */
export async function deleteGroup(
  context: SubscriptionsContext,
  caller: Caller,
  groupId: number,
): Promise<void> {
  await changeLists(context, caller, async (client) => {
    const group = await getGroup(client, groupId);
    await deleteDefaultStreamGroup(client, group.id);
    return defaultStreamGroupsEvents(client);
  });
}
