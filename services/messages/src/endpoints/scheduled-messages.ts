import {
  cancelScheduledMessageEndpoint,
  listScheduledMessagesEndpoint,
} from '@parley/api/messages';
import { CallerReads } from '@parley/database';
import { scheduledMessageJson } from '@parley/store/objects';
import { implement } from '@parley/server';
import { listDeferredMessages } from '@parley/store';

import type { MessagesContext } from '../context.ts';

/** GET scheduled_messages (decision 0023). */
export const listScheduledMessagesHandler = implement(
  listScheduledMessagesEndpoint,
  async (context: MessagesContext, { caller, signal }) => {
    const waiting = await listDeferredMessages(
      new CallerReads(context.pool, signal),
      caller.userId,
    );
    return { scheduled_messages: waiting.map(scheduledMessageJson) };
  },
);

/** DELETE scheduled_messages/{scheduled_message_id} (decision 0023). */
export const cancelScheduledMessageHandler = implement(
  cancelScheduledMessageEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await context.deferredMessages.cancel(parameters.scheduled_message_id, caller.userId);
    return {};
  },
);
