import { badRequest, limits } from '@parley/contracts';
import { custom, defineEndpoint, exampleVariables, jsonIntegerList } from '@parley/http';
import { listHeldOf } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { compileNarrow } from '../narrow/compile-narrow.ts';
import { parseNarrow } from '../narrow/parse-narrow.ts';
import { readNarrowed } from '../narrow/read-narrowed.ts';
import { matchMessages } from '../narrow/search-matches.ts';

/** GET messages/matches_narrow (reference facts, messages 14). */
export const matchesNarrowEndpoint = defineEndpoint({
  name: 'matches-narrow',
  method: 'GET',
  path: '/messages/matches_narrow',
  summary: 'Say which messages a narrow matches',
  description:
    'Considers only messages that the caller received. Each match carries its HTML and its topic, with the hits of a search marked.',
  example: {
    parameters: {
      msg_ids: [exampleVariables.messageId],
      narrow: [{ operator: 'search', operand: 'oars' }],
    },
  },
  access: { authentication: 'required' },
  parameters: [
    jsonIntegerList('msg_ids', { required: true, description: 'The ids of the messages' }),
    custom(
      'narrow',
      {
        encoding: 'json',
        schema: { type: 'array', items: {} },
        required: true,
        description: 'Terms of operator and operand',
      },
      parseNarrow,
    ),
  ],
  response: {
    type: 'object',
    properties: {
      messages: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: { match_content: { type: 'string' }, match_subject: { type: 'string' } },
          required: ['match_content', 'match_subject'],
        },
      },
    },
    required: ['messages'],
  },
  errors: ['BAD_NARROW'],
  handler: async (context: MessagesContext, { caller, parameters }) => {
    if (parameters.msg_ids.length > limits.messagesPerRequestMax) {
      throw badRequest(`Too many messages requested (maximum ${limits.messagesPerRequestMax}).`);
    }
    const narrow = await compileNarrow(context.pool, caller.userId, parameters.narrow);
    const { list, searchedWords } = narrow;
    const held = await readNarrowed(context, narrow, (db) =>
      listHeldOf(db, list, parameters.msg_ids),
    );
    const matches = await matchMessages(context.pool, held, searchedWords ?? []);
    return { messages: Object.fromEntries(held.map(({ id }, n) => [String(id), matches[n]])) };
  },
});
