import { getMessageEndpoint } from '@parley/api/messages';
import { getVisibleMessage } from '@parley/store/access';
import { implement } from '@parley/server';

import type { MessagesContext } from '../context.ts';

/** GET messages/<id> (contract, Messages; reference facts, messages 11). */
export const getMessageHandler = implement(
  getMessageEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const message = await getVisibleMessage(context.pool, caller.userId, parameters.message_id);
    return { raw_content: message.content };
  },
);
