import { addSubmessageEndpoint } from '@parley/api/messages';
import type { ApiEvent } from '@parley/api/events';
import { getLockedMessage, getSeenMessage, lockCaller } from '@parley/store/access';
import { badRequest, checkLength, limits } from '@parley/api';
import { implement } from '@parley/server';
import { addSubmessage } from '@parley/store';

import { getMessageHolders, messageEntry } from '../changing/message-entry.ts';
import type { MessagesContext } from '../context.ts';

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

/** POST submessage (reference facts, messages 16 and events 11.6). */
export const addSubmessageHandler = implement(
  addSubmessageEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const { userId } = caller;
    const { message_id: messageId, msg_type: msgType, content } = parameters;
    const seen = await getSeenMessage(context.pool, userId, messageId, 'change');
    checkLength('msg_type', msgType, limits.submessageTypeMaxCodePoints);
    checkLength('content', content, limits.submessageMaxCodePoints);
    if (!isJson(content)) throw badRequest('Invalid json for submessage');
    await context.eventLog.transaction(async (client) => {
      await lockCaller(client, caller);
      await getLockedMessage(client, userId, seen, 'change');
      const added = await addSubmessage(client, { messageId, senderId: userId, msgType, content });
      if (added.outcome === 'no widget')
        throw badRequest('You cannot attach a submessage to this message.');
      if (added.outcome === 'too many') throw badRequest('Too many submessages on this message');
      const event: ApiEvent = {
        type: 'submessage',
        message_id: messageId,
        submessage_id: added.id,
        sender_id: userId,
        msg_type: msgType,
        content,
      };
      const holders = await getMessageHolders(client, messageId);
      return { result: undefined, append: { entries: [messageEntry(holders, { event })] } };
    });
    return {};
  },
);
