import { deleteMessageEndpoint } from '@parley/api/messages';
import { implement } from '@parley/server';

import { deleteMessageFor } from '../changing/delete-message.ts';
import type { MessagesContext } from '../context.ts';

/** DELETE messages/<id> (contract, Messages; reference facts, messages 13). */
export const deleteMessageHandler = implement(
  deleteMessageEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await deleteMessageFor(context, caller, parameters.message_id);
    return {};
  },
);
