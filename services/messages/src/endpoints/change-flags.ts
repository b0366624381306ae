import { changeFlagsEndpoint, messageFlags } from '@parley/api/messages';
import type { MessageFlag } from '@parley/api/messages';
import { getLockedMessage, getSeenMessage } from '@parley/store/access';
import { badRequest } from '@parley/api';
import type { Client } from '@parley/database';
import { implement } from '@parley/server';
import { addLateReceipt, changeFlag } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { flagEntry } from './flag-events.ts';

function checkFlag(flag: string): MessageFlag {
  const known = messageFlags.find((name) => name === flag);
  if (known === undefined) throw badRequest(`Invalid flag: '${flag}'`);
  return known;
}

function checkOperation(operation: string): 'add' | 'remove' {
  if (operation === 'add' || operation === 'remove') return operation;
  throw badRequest(`Invalid operation: '${operation}'`);
}

type FlagRequest = {
  readonly userId: number;
  readonly messageIds: readonly number[];
  readonly flag: MessageFlag;
  readonly operation: 'add' | 'remove';
};

/** @returns the requested ids that the operation applied to, each once, in the requested order */
async function applyFlag(client: Client, request: FlagRequest): Promise<number[]> {
  const { userId, messageIds, flag, operation } = request;
  const held = new Set(await changeFlag(client, userId, messageIds, flag, operation));
  if (held.size > 0) return [...new Set(messageIds)].filter((id) => held.has(id));
  const [only] = messageIds;
  if (flag !== 'starred' || messageIds.length !== 1 || only === undefined)
    throw badRequest('Invalid message(s)');
  // A star on one visible message makes the user hold it from now on, except bots that never hold messages.
  const seen = await getSeenMessage(client, userId, only, 'hold');
  await getLockedMessage(client, userId, seen, 'hold');
  await addLateReceipt(client, userId, only);
  const applied = await changeFlag(client, userId, [only], flag, operation);
  if (applied.length === 0) throw badRequest('Invalid message(s)');
  return applied;
}

/** POST messages/flags (contract, Messages; reference facts, messages 10.1 and 21). */
export const changeFlagsHandler = implement(
  changeFlagsEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const request = {
      userId: caller.userId,
      messageIds: parameters.messages,
      flag: checkFlag(parameters.flag),
      operation: checkOperation(parameters.op),
    };
    const messages = await context.eventLog.transaction(async (client) => {
      const applied = await applyFlag(client, request);
      const { flag, operation } = request;
      return {
        result: applied,
        append: { entries: [flagEntry(caller.userId, { flag, operation, messageIds: applied })] },
      };
    });
    return { messages };
  },
);
