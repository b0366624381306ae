import { getLockedMessage, getSeenMessage } from '@parley/access';
import { badRequest, notAuthenticated } from '@parley/contracts';
import { defineEndpoint, exampleVariables, jsonInteger, text } from '@parley/http';
import { addSubmessage, lockUsersInUse } from '@parley/store';

import { getMessageHolders, messageEntry } from '../changing/message-entry.ts';
import type { MessagesContext } from '../context.ts';

// A vote or an answer is a few words, and each fetch of a message brings all of its submessages; the content is bounded like a message's.
const msgTypeMaxCodePoints = 60;
const contentMaxCodePoints = 10_000;

function checkLength(name: string, value: string, maxCodePoints: number): void {
  // A code point is one or two units; counting them is only worth it between these bounds.
  const isShort = value.length <= maxCodePoints;
  const isLong = value.length > 2 * maxCodePoints;
  if (!isShort && (isLong || Array.from(value).length > maxCodePoints))
    throw badRequest(`${name} is too long (limit: ${maxCodePoints} characters)`);
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

/** POST submessage (reference facts, messages 16 and events 11.6). */
export const addSubmessageEndpoint = defineEndpoint({
  name: 'add-submessage',
  method: 'POST',
  path: '/submessage',
  summary: 'Add data of a widget to a message',
  description:
    'By anybody who may see the message. Everyone who holds it is told; who only sees it does not come to hold it.',
  example: {
    parameters: {
      message_id: exampleVariables.messageId,
      msg_type: 'widget',
      content: '{"type":"vote","key":"1,1","vote":1}',
    },
  },
  access: { authentication: 'required' },
  parameters: [
    jsonInteger('message_id', { required: true, description: 'The id of the message' }),
    text('msg_type', {
      required: true,
      description: `What the data is for, such as \`widget\`; at most ${msgTypeMaxCodePoints} characters`,
    }),
    text('content', {
      required: true,
      nul: 'handled',
      description: `JSON as text; at most ${contentMaxCodePoints} characters`,
    }),
  ],
  response: { type: 'object', properties: {} },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const { userId } = caller;
    const { message_id: messageId, msg_type: msgType, content } = parameters;
    const seen = await getSeenMessage(context.pool, userId, messageId);
    checkLength('msg_type', msgType, msgTypeMaxCodePoints);
    checkLength('content', content, contentMaxCodePoints);
    if (!isJson(content)) throw badRequest('Invalid json for submessage');
    await context.eventLog.transaction(async (client) => {
      const [user] = await lockUsersInUse(client, { userIds: [userId] });
      if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
      await getLockedMessage(client, userId, seen);
      const id = await addSubmessage(client, { messageId, senderId: userId, msgType, content });
      if (id === undefined) throw badRequest('Too many submessages on this message');
      const event = {
        type: 'submessage',
        message_id: messageId,
        submessage_id: id,
        sender_id: userId,
        msg_type: msgType,
        content,
      };
      const holders = await getMessageHolders(client, messageId);
      return { result: undefined, append: { entries: [messageEntry(holders, { event })] } };
    });
    return {};
  },
});
