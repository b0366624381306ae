import { getReadableStream, mayListMembers, mayReadStream } from '@parley/access';
import { listOf, topicSchema } from '@parley/api-schemas';
import { badRequest } from '@parley/contracts';
import { transaction } from '@parley/database';
import { defineEndpoint, exampleVariables, pathInteger, text } from '@parley/http';
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

/** Permission and what it permits are read in one snapshot: nobody gets what came after he lost sight of a stream. */
const snapshot = 'REPEATABLE READ, READ ONLY';

const streamIdParameter = pathInteger('stream_id', { description: 'The stream' });

/** GET get_stream_id (reference facts, streams 4.2). */
export const getStreamIdEndpoint = defineEndpoint({
  name: 'get-stream-id',
  method: 'GET',
  path: '/get_stream_id',
  summary: 'Find the id of a stream',
  example: { parameters: { stream: 'boatyard' } },
  access: { authentication: 'required' },
  parameters: [
    text('stream', {
      required: true,
      description: 'Its name in any letter case; white space around it does not count',
    }),
  ],
  response: {
    type: 'object',
    properties: { stream_id: { type: 'integer' } },
    required: ['stream_id'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) =>
    transaction(
      context.pool,
      async (client) => {
        const stream = await findStreamByName(client, parameters.stream.trim());
        const isReadable =
          stream !== undefined &&
          mayReadStream(caller, stream, await isMember(client, caller.userId, stream.id));
        if (!isReadable) throw badRequest(`Invalid stream name '${parameters.stream}'`);
        return { stream_id: stream.id };
      },
      snapshot,
    ),
});

/** GET users/me/{stream_id}/topics (contract, Streams; reference facts, streams 4.3). */
export const listTopicsEndpoint = defineEndpoint({
  name: 'list-topics',
  method: 'GET',
  path: '/users/me/:stream_id/topics',
  summary: 'List the topics of a stream, newest first',
  description:
    'Topics that differ in letter case only are one. Of a private stream without shared history those that the caller received something of.',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  parameters: [streamIdParameter],
  response: {
    type: 'object',
    properties: {
      topics: listOf(topicSchema),
    },
    required: ['topics'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) =>
    transaction(
      context.pool,
      async (client) => {
        const stream = await getReadableStream(client, caller, parameters.stream_id);
        const isOpen = !stream.inviteOnly || stream.historyPublicToSubscribers;
        return { topics: await listTopics(client, stream.id, isOpen ? undefined : caller.userId) };
      },
      snapshot,
    ),
});

/** GET streams/{stream_id}/members (reference facts, streams 4.4). */
export const listMembersEndpoint = defineEndpoint({
  name: 'list-members',
  method: 'GET',
  path: '/streams/:stream_id/members',
  summary: 'List the subscribers of a stream',
  description: 'Email addresses of active people and bots, sorted.',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  parameters: [streamIdParameter],
  response: {
    type: 'object',
    properties: { subscribers: { type: 'array', items: { type: 'string' } } },
    required: ['subscribers'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) =>
    transaction(
      context.pool,
      async (client) => {
        const stream = await findStreamById(client, parameters.stream_id);
        const isListed =
          stream !== undefined &&
          mayListMembers(caller, stream, await isMember(client, caller.userId, stream.id));
        if (!isListed) throw badRequest('Invalid stream id');
        const emails = await listMemberEmails(client, [stream.id]);
        return { subscribers: emails.get(stream.id) ?? [] };
      },
      snapshot,
    ),
});

/** GET users/{user_id}/subscriptions/{stream_id} (reference facts, streams 1). */
export const getSubscriptionStatusEndpoint = defineEndpoint({
  name: 'get-subscription-status',
  method: 'GET',
  path: '/users/:user_id/subscriptions/:stream_id',
  summary: 'Tell whether somebody is subscribed to a stream',
  example: {
    parameters: { user_id: exampleVariables.userId, stream_id: exampleVariables.streamId },
  },
  access: { authentication: 'required' },
  parameters: [pathInteger('user_id', { description: 'The person or bot' }), streamIdParameter],
  response: {
    type: 'object',
    properties: { is_subscribed: { type: 'boolean' } },
    required: ['is_subscribed'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) =>
    transaction(
      context.pool,
      async (client) => {
        const user = await findUserById(client, parameters.user_id);
        if (user === undefined || user.isSystem) throw badRequest('No such user');
        const stream = await findStreamById(client, parameters.stream_id);
        const isListed =
          stream !== undefined &&
          mayListMembers(caller, stream, await isMember(client, caller.userId, stream.id));
        if (!isListed) throw badRequest('Invalid stream id');
        const memberships = await findMemberships(client, user.id, [stream.id]);
        return { is_subscribed: memberships.has(stream.id) };
      },
      snapshot,
    ),
});

/** GET streams/{stream_id}/email_address (reference facts, streams 1 and 3.4): there is no incoming mail. */
export const getStreamEmailEndpoint = defineEndpoint({
  name: 'get-stream-email-address',
  method: 'GET',
  path: '/streams/:stream_id/email_address',
  summary: 'Get the address by which mail is sent to a stream',
  description: 'Always empty: the organization takes no mail.',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  parameters: [streamIdParameter],
  response: {
    type: 'object',
    properties: { email: { type: 'string' } },
    required: ['email'],
  },
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await getReadableStream(context.pool, caller, parameters.stream_id);
    return { email: '' };
  },
});
