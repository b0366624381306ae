import { badRequest, notAuthenticated, ownEventsEntry } from '@parley/contracts';
import { convertedNumber, defineEndpoint, exampleVariables } from '@parley/http';
import { findUserById, holdsMessage, lockUserForOwnChange, setPointer } from '@parley/store';

import type { MessagesContext } from '../context.ts';

/** GET users/me/pointer (reference facts, events 15.5). */
export const getPointerEndpoint = defineEndpoint({
  name: 'get-pointer',
  method: 'GET',
  path: '/users/me/pointer',
  summary: 'Tell the message on which the caller stands',
  access: { authentication: 'required' },
  parameters: [],
  response: {
    type: 'object',
    properties: { pointer: { type: 'integer', description: 'its id; -1 for a new account' } },
    required: ['pointer'],
  },
  handler: async (context: MessagesContext, { caller }) => {
    const user = await findUserById(context.pool, caller.userId);
    if (user === undefined) throw notAuthenticated('Invalid API key');
    return { pointer: user.pointer };
  },
});

async function movePointer(
  context: MessagesContext,
  userId: number,
  messageId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockUserForOwnChange(client, userId);
    if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
    if (messageId <= user.pointer) return { result: undefined };
    if (!(await holdsMessage(client, userId, messageId))) throw badRequest('Invalid message ID');
    await setPointer(client, userId, messageId);
    return {
      result: undefined,
      append: { entries: [ownEventsEntry(userId, [{ type: 'pointer', pointer: messageId }])] },
    };
  });
}

const declaration = {
  path: '/users/me/pointer',
  summary: 'Move the pointer forward',
  description:
    'To a message that the caller holds. One that is not beyond the present pointer changes nothing. Nothing is marked as read.',
  access: { authentication: 'required' },
  parameters: [convertedNumber('pointer', { required: true, description: 'The message id' })],
  response: { type: 'object', properties: {} },
} as const;

/** POST users/me/pointer (reference facts, events 15.5). */
export const movePointerEndpoint = defineEndpoint({
  ...declaration,
  name: 'move-pointer',
  example: { parameters: { pointer: exampleVariables.messageId } },
  method: 'POST',
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await movePointer(context, caller.userId, parameters.pointer);
    return {};
  },
});

/** PUT users/me/pointer, the same as POST (reference facts, events 15.5). */
export const putPointerEndpoint = defineEndpoint({
  ...declaration,
  name: 'put-pointer',
  example: { parameters: { pointer: exampleVariables.messageId } },
  method: 'PUT',
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await movePointer(context, caller.userId, parameters.pointer);
    return {};
  },
});
