import type { Caller } from '@parley/api';
import { changeStreamEndpoint, deleteStreamEndpoint } from '@parley/api/streams';
import { audienceKey, changeEntry } from '@parley/event-log';
import { implement } from '@parley/server';
import { listEverMembers, lockReadState, setStreamFloorsAtChange } from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';
import { changeStream, lockStreamForAdministrator } from '../streams/change-stream.ts';
import { endStreams } from '../streams/end-streams.ts';

/**
 * Deactivates a stream, which is then read for everybody who held its messages, and sends events to those who could see it (reference facts, streams 8.2).
 *
 * @throws ApiError `Must be an organization administrator`, `Invalid stream id`
 */
async function deleteStream(
  context: SubscriptionsContext,
  caller: Caller,
  streamId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const { stream } = await lockStreamForAdministrator(client, caller, streamId, true);
    const changeId = await context.eventLog.drawChangeId(client);
    const events = await endStreams(client, [stream], changeId, {
      audienceOf: ({ id, inviteOnly }) => ({
        to: 'stream-viewers',
        streamId: id,
        inviteOnly,
        asBefore: true,
      }),
      asBefore: true,
    });
    const userIds = await listEverMembers(client, streamId);
    await lockReadState(client, userIds);
    const leavings = userIds.map((userId) => ({ userId, streamId }));
    await setStreamFloorsAtChange(client, leavings, changeId);
    const entry = changeEntry({ effects: [{ effect: 'stream-ended', streamId }], events });
    return {
      result: undefined,
      append: { entries: [{ entry, audience: audienceKey.everyone }], changeId },
    };
  });
}

export const changeStreamHandler = implement(
  changeStreamEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeStream(context, caller, parameters.stream_id, {
      description: parameters.description,
      newName: parameters.new_name,
      isAnnouncementOnly: parameters.is_announcement_only,
      isPrivate: parameters.is_private,
      historyPublicToSubscribers: parameters.history_public_to_subscribers,
    });
    return {};
  },
);

export const deleteStreamHandler = implement(
  deleteStreamEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await deleteStream(context, caller, parameters.stream_id);
    return {};
  },
);
