import { matchesNarrowEndpoint } from '@parley/api/messages';
import { badRequest, limits } from '@parley/api';
import { implement } from '@parley/server';
import { listHeldOf } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { compileNarrow } from '../narrow/compile-narrow.ts';
import { narrowReads, readNarrowed } from '../narrow/read-narrowed.ts';
import { matchMessages } from '../narrow/search-matches.ts';

/** GET messages/matches_narrow (reference facts, messages 14). */
export const matchesNarrowHandler = implement(
  matchesNarrowEndpoint,
  async (context: MessagesContext, { caller, parameters, signal }) => {
    if (parameters.msg_ids.length > limits.messagesPerRequestMax) {
      throw badRequest(`Too many messages requested (maximum ${limits.messagesPerRequestMax}).`);
    }
    const reads = narrowReads(context, signal);
    const narrow = await compileNarrow(reads.database, caller.userId, parameters.narrow);
    const { list, searchedWords, ignoredWords } = narrow;
    const held = await readNarrowed(reads, narrow, (db) =>
      listHeldOf(db, list, parameters.msg_ids),
    );
    if (held === undefined)
      throw badRequest('The messages are too long together; ask for fewer of them.');
    const marking = { turns: context.markingTurns, signal };
    const matches = await matchMessages(held, searchedWords ?? [], marking);
    return {
      ...(ignoredWords.length === 0 ? {} : { ignored_words: ignoredWords }),
      messages: Object.fromEntries(matches.map((match, n) => [String(held[n]?.id), match])),
    };
  },
);
