import type { ApiEvent } from '@parley/api/events';
import { checkListRoom, lockAdministrator } from '@parley/store/access';
import { audienceKey, changeEntry } from '@parley/event-log';
import { badRequest, foldName, withoutCode } from '@parley/api';
import type { Audience, ChangeContent, EventPart } from '@parley/event-log';
import type { Caller } from '@parley/api';
import { isUniqueViolation } from '@parley/database';
import type { Client } from '@parley/database';
import { streamJson } from '@parley/store/objects';
import {
  findStreamByName,
  forgetMutedTopics,
  isMember,
  listDefaultStreamGroups,
  listMembers,
  lockAdministratorsInUse,
  lockDefaultStreams,
  lockStreams,
  streamNameFault,
  clearDefaultStreamsUnknownToOwner,
  updateStream,
} from '@parley/store';
import type { Stream, StreamChange, User } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import {
  defaultStreamGroupsEvents,
  defaultStreamsEvents,
} from '../default-streams/default-stream-events.ts';
import { textsOf, withoutNewlines } from './description.ts';

/** The changes that an administrator requests; absent members stay unchanged. */
export type StreamChangeRequest = {
  readonly description: string | undefined;
  readonly newName: string | undefined;
  readonly isAnnouncementOnly: boolean | undefined;
  readonly isPrivate: boolean | undefined;
  /** Only counts with `isPrivate`. */
  readonly historyPublicToSubscribers: boolean | undefined;
};

function nameTaken(name: string): Error {
  return badRequest(`Stream name '${name}' is already taken.`);
}

/**
 * Locks a stream for an administrator, who may know of all streams.
 *
 * @param changesLists whether the change may affect lists of default streams, which are locked before streams
 * @throws ApiError `Must be an organization administrator`, `Invalid stream id`
 */
export async function lockStreamForAdministrator(
  client: Client,
  caller: Caller,
  streamId: number,
  changesLists: boolean,
): Promise<{ readonly actor: User; readonly stream: Stream }> {
  const actor = await lockAdministrator(client, caller);
  if (changesLists) await lockDefaultStreams(client);
  const [stream] = await lockStreams(client, { streamIds: [streamId] });
  if (stream === undefined || stream.isDeactivated) throw badRequest('Invalid stream id');
  return { actor, stream };
}

/**
 * Makes all requested changes of a stream or none, and sends events to those who see it afterwards (reference facts, streams 8.1).
 *
 * @throws ApiError with the first refusal in the order of the reference facts, streams 8.1
 */
export async function changeStream(
  context: SubscriptionsContext,
  caller: Caller,
  streamId: number,
  request: StreamChangeRequest,
): Promise<void> {
  try {
    await context.eventLog.transaction(async (client) => {
      // Privacy decides who sees the stream in the list of default streams.
      const changesLists = request.isPrivate !== undefined;
      // They get the events of bots that lose the stream.
      if (request.isPrivate === true) await lockAdministratorsInUse(client);
      const { actor, stream } = await lockStreamForAdministrator(
        client,
        caller,
        streamId,
        changesLists,
      );
      const change = await checkRequest(context, client, actor, stream, request);
      if (Object.keys(change).length === 0) return { result: undefined };
      const changed = await updateStream(client, stream.id, change);
      const events = [
        ...(await closingEvents(client, stream, changed)),
        ...(await updateEvents(client, stream, changed, change)),
        ...(change.privacy === undefined ? [] : await listEvents(client, stream)),
      ];
      const texts = { before: textsOf(stream), after: textsOf(changed) };
      await checkListRoom(client, context.lists, actor, {
        texts: { streams: texts, defaultStreams: texts, defaultStreamGroups: texts },
      });
      const content: ChangeContent = {
        events,
        sideEffects:
          change.name === undefined
            ? []
            : [
                {
                  kind: 'stream-renamed-notice',
                  target: stream.id,
                  actorId: actor.id,
                  oldName: stream.name,
                  newName: change.name,
                },
              ],
      };
      const entry = { entry: changeEntry(content), audience: audienceKey.everyone };
      return { result: undefined, append: { entries: [entry] } };
    });
  } catch (error) {
    // Another request took the name between the check and the update.
    if (isUniqueViolation(error)) throw nameTaken(request.newName?.trim() ?? '');
    throw error;
  }
}

/** Members see private streams neither in the list of default streams nor in groups. */
async function listEvents(client: Client, stream: Stream): Promise<EventPart[]> {
  const groups = await listDefaultStreamGroups(client);
  const isGrouped = groups.some(({ streamIds }) => streamIds.includes(stream.id));
  return [
    ...(stream.isDefault ? await defaultStreamsEvents(client) : []),
    ...(isGrouped ? await defaultStreamGroupsEvents(client) : []),
  ];
}

async function checkRequest(
  context: SubscriptionsContext,
  client: Client,
  actor: User,
  stream: Stream,
  request: StreamChangeRequest,
): Promise<StreamChange> {
  const description =
    request.description === undefined ? undefined : withoutNewlines(request.description);
  const name = request.newName === undefined ? undefined : request.newName.trim();
  if (name !== undefined) await checkNewName(client, stream, name);
  const { isPrivate, isAnnouncementOnly } = request;
  if (isPrivate !== undefined && stream.inviteOnly) {
    // Administrators may not change the privacy of a stream of which they are not a member.
    if (!(await isMember(client, actor.id, stream.id))) throw badRequest('Invalid stream id');
  }
  return {
    ...(description !== undefined && {
      description: { text: description, rendered: context.renderDescription(description) },
    }),
    ...(name !== undefined && { name }),
    ...(isAnnouncementOnly !== undefined && { isAnnouncementOnly }),
    ...(isPrivate !== undefined && {
      privacy: {
        inviteOnly: isPrivate,
        historyPublicToSubscribers: !isPrivate || (request.historyPublicToSubscribers ?? false),
      },
    }),
  };
}

async function checkNewName(client: Client, stream: Stream, name: string): Promise<void> {
  if (name === stream.name) throw withoutCode('Stream already has that name!');
  const fault = streamNameFault(name);
  if (fault !== undefined) throw badRequest(fault);
  if (foldName(name) === foldName(stream.name)) return;
  if ((await findStreamByName(client, name)) !== undefined) throw nameTaken(name);
}

const update = { type: 'stream', op: 'update' } as const;

function streamEvent(audience: Audience, event: Extract<ApiEvent, { type: 'stream' }>): EventPart {
  return { form: 'same', audience, event };
}

/** If a stream becomes private, members who never were in it must no longer know of it, not even through their bots. */
async function closingEvents(client: Client, before: Stream, after: Stream): Promise<EventPart[]> {
  if (before.inviteOnly || !after.inviteOnly) return [];
  await forgetMutedTopics(client, after.id);
  const neverMembers: Audience = {
    to: 'stream-outsiders',
    streamId: after.id,
    wereMembers: false,
  };
  return [
    streamEvent(neverMembers, { type: 'stream', op: 'delete', streams: [streamJson(before)] }),
    ...(await clearDefaultStreamsUnknownToOwner(client, { streamId: after.id })),
  ];
}

/**
 * The events of a change (reference facts, streams 11.1): each has the stream's name from before the change. Besides those who see the
 * stream, they go to everybody whose register lists contain it, as far as these lists show the change.
 */
async function updateEvents(
  client: Client,
  before: Stream,
  after: Stream,
  change: StreamChange,
): Promise<EventPart[]> {
  const streamId = after.id;
  const about = { stream_id: streamId };
  // People who learn of the stream because it becomes public must not learn its earlier name.
  const inviteOnly = before.inviteOnly || after.inviteOnly;
  const viewers: Audience = { to: 'stream-viewers', streamId, inviteOnly };
  const knowers: Audience = { to: 'stream-knowers', streamId, inviteOnly };
  const oldName = { ...about, name: before.name };
  const newName = { ...about, name: after.name };
  const isOpened = before.inviteOnly && !after.inviteOnly;
  return [
    ...(isOpened ? [openingEvent(after)] : []),
    ...(change.description === undefined
      ? []
      : [streamEvent(viewers, { ...update, ...descriptionOf(after), ...oldName })]),
    ...(change.name === undefined
      ? []
      : [
          // There is no incoming mail, so the address stays empty.
          streamEvent(knowers, { ...update, property: 'email_address', value: '', ...oldName }),
          streamEvent(knowers, { ...update, property: 'name', value: after.name, ...oldName }),
        ]),
    ...(change.isAnnouncementOnly === undefined
      ? []
      : [
          streamEvent(knowers, {
            ...update,
            property: 'is_announcement_only',
            value: after.isAnnouncementOnly,
            ...newName,
          }),
        ]),
    ...(change.privacy === undefined
      ? []
      : [
          streamEvent(
            { ...knowers, inviteOnly: after.inviteOnly },
            {
              ...update,
              property: 'invite_only',
              value: after.inviteOnly,
              history_public_to_subscribers: after.historyPublicToSubscribers,
              ...newName,
            },
          ),
        ]),
    ...(isOpened ? await openedEvents(client, after) : []),
  ];
}

function descriptionOf(stream: Stream) {
  return {
    property: 'description' as const,
    value: stream.description,
    rendered_description: stream.renderedDescription,
  };
}

/** For people who never were in it, a stream that becomes public is new. */
function openingEvent(after: Stream): EventPart {
  const neverMembers: Audience = {
    to: 'stream-outsiders',
    streamId: after.id,
    wereMembers: false,
  };
  return streamEvent(neverMembers, { type: 'stream', op: 'create', streams: [streamJson(after)] });
}

/** The data of a newly public stream that people lack: its description, if they had left it, and its members. */
async function openedEvents(client: Client, after: Stream): Promise<EventPart[]> {
  const userIds = (await listMembers(client, [after.id])).get(after.id) ?? [];
  return [
    streamEvent(
      { to: 'stream-outsiders', streamId: after.id, wereMembers: true },
      { ...update, ...descriptionOf(after), stream_id: after.id, name: after.name },
    ),
    ...(userIds.length === 0
      ? []
      : [
          {
            form: 'peers' as const,
            op: 'peer_add' as const,
            streamId: after.id,
            streamName: after.name,
            inviteOnly: false,
            userIds,
            to: 'stream-outsiders' as const,
          },
        ]),
  ];
}
