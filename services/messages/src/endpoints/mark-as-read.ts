import {
  markAllAsReadEndpoint,
  markStreamAsReadEndpoint,
  markTopicAsReadEndpoint,
} from '@parley/api/messages';
import { getReadableStream } from '@parley/store/access';
import { badRequest } from '@parley/api';
import { implement } from '@parley/server';
import {
  findTopicConversation,
  holdsAnyOf,
  markAllRead,
  markStreamRead,
  markTopicRead,
} from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { flagEntry } from './flag-events.ts';

const readFlag = { operation: 'add', flag: 'read' } as const;

async function markStream(
  context: MessagesContext,
  userId: number,
  streamId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const messageIds = await markStreamRead(client, userId, streamId);
    return {
      result: undefined,
      append: { entries: [flagEntry(userId, { ...readFlag, messageIds })] },
    };
  });
}

/** POST mark_all_as_read (contract, Messages; reference facts, messages 10.2). */
export const markAllAsReadHandler = implement(
  markAllAsReadEndpoint,
  async (context: MessagesContext, { caller }) => {
    await context.eventLog.transaction(async (client) => {
      const changeId = await context.eventLog.drawChangeId(client);
      await markAllRead(client, caller.userId, changeId);
      const entry = flagEntry(caller.userId, { ...readFlag, messageIds: [], all: true });
      return { result: undefined, append: { entries: [entry], changeId } };
    });
    return {};
  },
);

/** POST mark_stream_as_read (contract, Messages; reference facts, messages 10.2). */
export const markStreamAsReadHandler = implement(
  markStreamAsReadEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const stream = await getReadableStream(context.pool, caller, parameters.stream_id);
    await markStream(context, caller.userId, stream.id);
    return {};
  },
);

/** POST mark_topic_as_read (contract, Messages; reference facts, messages 10.2). */
export const markTopicAsReadHandler = implement(
  markTopicAsReadEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const { userId } = caller;
    const topic = parameters.topic_name;
    const stream = await getReadableStream(context.pool, caller, parameters.stream_id);
    if (topic === '') {
      await markStream(context, userId, stream.id);
      return {};
    }
    const conversationId = await findTopicConversation(context.pool, stream.id, topic);
    if (conversationId === undefined || !(await holdsAnyOf(context.pool, userId, conversationId))) {
      throw badRequest(`No such topic '${topic}'`);
    }
    await context.eventLog.transaction(async (client) => {
      const messageIds = await markTopicRead(client, userId, conversationId);
      return {
        result: undefined,
        append: { entries: [flagEntry(userId, { ...readFlag, messageIds })] },
      };
    });
    return {};
  },
);
