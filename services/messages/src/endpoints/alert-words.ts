import { badRequest, limits, notAuthenticated, ownEventsEntry } from '@parley/contracts';
import type { Caller } from '@parley/contracts';
import type { Client } from '@parley/database';
import { defineEndpoint, json } from '@parley/http';
import {
  addAlertWords,
  listAlertWords,
  lockUserForOwnChange,
  removeAlertWords,
} from '@parley/store';

import type { MessagesContext } from '../context.ts';

const answered = {
  type: 'object',
  properties: {
    alert_words: {
      type: 'array',
      items: { type: 'string' },
      description: 'all alert words, in the order in which they were added',
    },
  },
  required: ['alert_words'],
} as const;

/** Changes the caller's words and tells the caller's queues all of them, changed or not (reference facts, events 14.3). */
async function changeWords(
  context: MessagesContext,
  caller: Caller,
  change: (client: Client) => Promise<void>,
): Promise<string[]> {
  return context.eventLog.transaction(async (client) => {
    const user = await lockUserForOwnChange(client, caller.userId);
    if (user?.isActive !== true) throw notAuthenticated('Account is deactivated');
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
export const listAlertWordsEndpoint = defineEndpoint({
  name: 'list-alert-words',
  method: 'GET',
  path: '/users/me/alert_words',
  summary: "List the caller's alert words",
  access: { authentication: 'required' },
  parameters: [],
  response: answered,
  handler: async (context: MessagesContext, { caller }) => ({
    alert_words: await listAlertWords(context.pool, caller.userId),
  }),
});

/** POST users/me/alert_words (reference facts, events 15.4). */
export const addAlertWordsEndpoint = defineEndpoint({
  name: 'add-alert-words',
  method: 'POST',
  path: '/users/me/alert_words',
  summary: 'Add alert words',
  description:
    'Messages that hold one of them are flagged `has_alert_word` for the caller. Words are trimmed; blank ones and those already there are left out.',
  example: { parameters: { alert_words: ['Heron', 'new keel'] } },
  access: { authentication: 'required' },
  parameters: [
    json(
      'alert_words',
      {
        type: 'array',
        maxItems: limits.alertWordsMax,
        items: { type: 'string' },
      },
      {
        required: true,
        description: `Words or phrases of at most ${limits.alertWordMaxCodePoints} characters`,
      },
    ),
  ],
  response: answered,
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const words = parameters.alert_words.map((word) => word.trim());
    const tooLong = words.findIndex(
      (word) => Array.from(word).length > limits.alertWordMaxCodePoints,
    );
    if (tooLong !== -1) {
      throw badRequest(
        `alert_words[${tooLong}] is too long (limit: ${limits.alertWordMaxCodePoints} characters)`,
      );
    }
    const wanted = words.filter((word) => word !== '');
    return {
      alert_words: await changeWords(context, caller, (client) =>
        addAlertWords(client, caller.userId, wanted),
      ),
    };
  },
});

/** DELETE users/me/alert_words (reference facts, events 15.4). */
export const removeAlertWordsEndpoint = defineEndpoint({
  name: 'remove-alert-words',
  method: 'DELETE',
  path: '/users/me/alert_words',
  summary: 'Remove alert words',
  description: 'Only exact matches are removed; others are ignored.',
  example: { parameters: { alert_words: ['new keel'] } },
  access: { authentication: 'required' },
  parameters: [
    json(
      'alert_words',
      { type: 'array', items: { type: 'string' } },
      { required: true, description: 'The words to remove' },
    ),
  ],
  response: answered,
  handler: async (context: MessagesContext, { caller, parameters }) => ({
    alert_words: await changeWords(context, caller, (client) =>
      removeAlertWords(client, caller.userId, parameters.alert_words),
    ),
  }),
});
