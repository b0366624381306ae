import { lockOwnAccount } from '@parley/store/access';
import { getPointerEndpoint, movePointerEndpoint, putPointerEndpoint } from '@parley/api/messages';
import { badRequest, notAuthenticated } from '@parley/api';
import { ownEventsEntry } from '@parley/event-log';
import { implement } from '@parley/server';
import { findUserById, isMessageHeld, setPointer } from '@parley/store';

import type { MessagesContext } from '../context.ts';

/** GET users/me/pointer (reference facts, events 15.5). */
export const getPointerHandler = implement(
  getPointerEndpoint,
  async (context: MessagesContext, { caller }) => {
    const user = await findUserById(context.pool, caller.userId);
    if (user === undefined) throw notAuthenticated('Invalid API key');
    return { pointer: user.pointer };
  },
);

async function movePointer(
  context: MessagesContext,
  userId: number,
  messageId: number,
): Promise<void> {
  await context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, { userId });
    if (messageId <= user.pointer) return { result: undefined };
    if (!(await isMessageHeld(client, userId, messageId))) throw badRequest('Invalid message ID');
    await setPointer(client, userId, messageId);
    return {
      result: undefined,
      append: { entries: [ownEventsEntry(userId, [{ type: 'pointer', pointer: messageId }])] },
    };
  });
}

/** POST users/me/pointer (reference facts, events 15.5). */
export const movePointerHandler = implement(
  movePointerEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await movePointer(context, caller.userId, parameters.pointer);
    return {};
  },
);

/** PUT users/me/pointer, the same as POST (reference facts, events 15.5). */
export const putPointerHandler = implement(
  putPointerEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await movePointer(context, caller.userId, parameters.pointer);
    return {};
  },
);
