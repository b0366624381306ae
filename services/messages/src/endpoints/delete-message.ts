import { defineEndpoint, exampleVariables, pathInteger } from '@parley/http';

import { deleteMessageFor } from '../changing/delete-message.ts';
import type { MessagesContext } from '../context.ts';

/** DELETE messages/<id> (contract, Messages; reference facts, messages 13). */
export const deleteMessageEndpoint = defineEndpoint({
  name: 'delete-message',
  method: 'DELETE',
  path: '/messages/:message_id',
  summary: 'Delete a message for good',
  description:
    'Administrators may delete any message that they can see; others their own, where and while the organization lets them.',
  example: { as: 'administrator', parameters: { message_id: exampleVariables.messageId } },
  access: { authentication: 'required' },
  parameters: [pathInteger('message_id', { description: 'The message' })],
  response: { type: 'object', properties: {} },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await deleteMessageFor(context, caller, parameters.message_id);
    return {};
  },
});
