import { getVisibleMessage } from '@parley/access';
import { defineEndpoint, exampleVariables, pathInteger } from '@parley/http';

import type { MessagesContext } from '../context.ts';

/** GET messages/<id> (contract, Messages; reference facts, messages 11). */
export const getMessageEndpoint = defineEndpoint({
  name: 'get-message',
  method: 'GET',
  path: '/messages/:message_id',
  summary: 'Get the raw text of a message',
  example: { parameters: { message_id: exampleVariables.messageId } },
  access: { authentication: 'required' },
  parameters: [pathInteger('message_id', { description: 'The message' })],
  response: {
    type: 'object',
    properties: { raw_content: { type: 'string', description: 'The text as it was written' } },
    required: ['raw_content'],
  },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const message = await getVisibleMessage(context.pool, caller.userId, parameters.message_id);
    return { raw_content: message.content };
  },
});
