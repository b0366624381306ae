import { lockOwnAccount } from '@parley/store/access';
import {
  listAlertWordsEndpoint,
  addAlertWordsEndpoint,
  removeAlertWordsEndpoint,
} from '@parley/api/messages';
import { badRequest, checkLength, limits } from '@parley/api';
import { ownEventsEntry } from '@parley/event-log';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import { implement } from '@parley/server';
import { addAlertWords, listAlertWords, removeAlertWords } from '@parley/store';

import type { MessagesContext } from '../context.ts';

/** Changes the caller's words and sends all of them to the caller's queues, changed or not (reference facts, events 14.3). */
async function changeWords(
  context: MessagesContext,
  caller: Caller,
  change: (client: Client) => Promise<void>,
): Promise<string[]> {
  return context.eventLog.transaction(async (client) => {
    const user = await lockOwnAccount(client, caller);
    await change(client);
    const words = await listAlertWords(client, user.id);
    if (words.length > limits.alertWordsMax) {
      throw badRequest(`alert_words is too long (limit: ${limits.alertWordsMax} items)`);
    }
    return {
      result: words,
      append: { entries: [ownEventsEntry(user.id, [{ type: 'alert_words', alert_words: words }])] },
    };
  });
}

/** GET users/me/alert_words (reference facts, events 15.4). */
export const listAlertWordsHandler = implement(
  listAlertWordsEndpoint,
  async (context: MessagesContext, { caller }) => ({
    alert_words: await listAlertWords(context.pool, caller.userId),
  }),
);

/** POST users/me/alert_words (reference facts, events 15.4). */
export const addAlertWordsHandler = implement(
  addAlertWordsEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    const words = parameters.alert_words.map((word) => word.trim());
    for (const [n, word] of words.entries())
      checkLength(`alert_words[${n}]`, word, limits.alertWordMaxCodePoints);
    const wanted = words.filter((word) => word !== '');
    return {
      alert_words: await changeWords(context, caller, (client) =>
        addAlertWords(client, caller.userId, wanted),
      ),
    };
  },
);

/** DELETE users/me/alert_words (reference facts, events 15.4). */
export const removeAlertWordsHandler = implement(
  removeAlertWordsEndpoint,
  async (context: MessagesContext, { caller, parameters }) => ({
    alert_words: await changeWords(context, caller, (client) =>
      removeAlertWords(client, caller.userId, parameters.alert_words),
    ),
  }),
);
