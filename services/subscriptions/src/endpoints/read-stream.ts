/** Reads of one stream. Permission and data are read in one snapshot, so nobody gets data from after losing the permission. */
import {
  getReadableStream,
  mayReadStream,
  maySeeStream,
  sharesHistory,
} from '@parley/store/access';
import { badRequest } from '@parley/api';
import {
  getStreamEmailEndpoint,
  getStreamIdEndpoint,
  getSubscriptionStatusEndpoint,
  listMembersEndpoint,
  listTopicsEndpoint,
} from '@parley/api/streams';
import { CallerReads } from '@parley/database';
import { implement } from '@parley/server';
import {
  findMemberships,
  findStreamById,
  findStreamByName,
  findUserById,
  isMember,
  listMemberEmails,
  listTopics,
} from '@parley/store';

import type { SubscriptionsContext } from '../context.ts';

/** GET get_stream_id (reference facts, streams 4.2). */
export const getStreamIdHandler = implement(
  getStreamIdEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, signal }) =>
    new CallerReads(context.pool, signal).snapshot(async (client) => {
      const stream = await findStreamByName(client, parameters.stream.trim());
      const isReadable =
        stream !== undefined &&
        mayReadStream(caller, stream, await isMember(client, caller.userId, stream.id));
      if (!isReadable) throw badRequest(`Invalid stream name '${parameters.stream}'`);
      return { stream_id: stream.id };
    }),
);

/** GET users/me/{stream_id}/topics (contract, Streams; reference facts, streams 4.3). */
export const listTopicsHandler = implement(
  listTopicsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, signal }) =>
    new CallerReads(context.pool, signal).snapshot(async (client) => {
      const stream = await getReadableStream(client, caller, parameters.stream_id);
      const heldBy = sharesHistory(stream) ? undefined : caller.userId;
      return { topics: await listTopics(client, stream.id, heldBy) };
    }),
);

/** GET streams/{stream_id}/members (reference facts, streams 4.4). */
export const listMembersHandler = implement(
  listMembersEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, signal }) =>
    new CallerReads(context.pool, signal).snapshot(async (client) => {
      const stream = await findStreamById(client, parameters.stream_id);
      const isListed =
        stream !== undefined &&
        maySeeStream(caller, stream, await isMember(client, caller.userId, stream.id));
      if (!isListed) throw badRequest('Invalid stream id');
      const emails = await listMemberEmails(client, [stream.id]);
      return { subscribers: emails.get(stream.id) ?? [] };
    }),
);

/** GET users/{user_id}/subscriptions/{stream_id} (reference facts, streams 1). */
export const getSubscriptionStatusHandler = implement(
  getSubscriptionStatusEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, signal }) =>
    new CallerReads(context.pool, signal).snapshot(async (client) => {
      const user = await findUserById(client, parameters.user_id);
      if (user === undefined || user.isSystem) throw badRequest('No such user');
      const stream = await findStreamById(client, parameters.stream_id);
      const isListed =
        stream !== undefined &&
        maySeeStream(caller, stream, await isMember(client, caller.userId, stream.id));
      if (!isListed) throw badRequest('Invalid stream id');
      const memberships = await findMemberships(client, user.id, [stream.id]);
      return { is_subscribed: memberships.has(stream.id) };
    }),
);

/** GET streams/{stream_id}/email_address (reference facts, streams 1 and 3.4): there is no incoming mail. */
export const getStreamEmailHandler = implement(
  getStreamEmailEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await getReadableStream(context.pool, caller, parameters.stream_id);
    return { email: '' };
  },
);
