import { badRequest, limits } from '@parley/api';
import type { AnswerOf } from '@parley/api';
import { anchorAt, getMessagesEndpoint, newestAnchor } from '@parley/api/messages';
import type { AnchorId } from '@parley/api/messages';
import { implement, preserialized, successText } from '@parley/server';
import { findFirstUnreadOf, hidesEmails, listMessages } from '@parley/store';
import type { ListedMessage, ListedPage, MessagePage } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { messageJsonWriter } from '../message-json.ts';
import { compileNarrow } from '../narrow/compile-narrow.ts';
import type { CompiledNarrow } from '../narrow/compile-narrow.ts';
import { narrowReads, readNarrowed } from '../narrow/read-narrowed.ts';
import { matchMessages } from '../narrow/search-matches.ts';
import { confirmStreams } from '../narrow/stream-ids.ts';

/** Before every message. */
const oldestAnchor = 0;

type Counts = { readonly before: number; readonly after: number };

/** What of the list is asked for (reference facts, messages 6.3). */
function pageOf(anchor: number, counts: Counts): Omit<MessagePage, 'content'> {
  if (anchor === newestAnchor) return { anchor, beforeMax: counts.before, fromAnchorMax: 0 };
  // Ids begin at 1, so the anchor 0 takes no room of its own.
  if (anchor === oldestAnchor) return { anchor, beforeMax: 0, fromAnchorMax: counts.after };
  return { anchor, beforeMax: counts.before, fromAnchorMax: counts.after + 1 };
}

type Found = {
  readonly rows: readonly ListedMessage[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
};

function foundOf(
  anchor: number,
  counts: Counts,
  { rows: listed, isCutBelow, isCutAbove }: ListedPage,
): Found {
  if (anchor === newestAnchor) {
    return {
      rows: listed,
      found_anchor: false,
      found_oldest: !isCutBelow && listed.length < counts.before,
      found_newest: true,
    };
  }
  if (anchor === oldestAnchor) {
    return {
      rows: listed,
      found_anchor: false,
      found_oldest: true,
      found_newest: !isCutAbove && listed.length < counts.after,
    };
  }
  const before = listed.filter((row) => row.id < anchor);
  const own = listed.filter((row) => row.id === anchor);
  // One more was listed in case that the anchor itself is not among them.
  const after = listed.filter((row) => row.id > anchor).slice(0, counts.after);
  return {
    rows: [...before, ...own, ...after],
    found_anchor: own.length > 0,
    found_oldest: !isCutBelow && before.length < counts.before,
    found_newest: !isCutAbove && after.length < counts.after,
  };
}

function messageWriter(
  { stringId, settings }: NonNullable<ListedPage['realm']>,
  asked: { readonly client_gravatar: boolean; readonly apply_markdown: boolean },
): ReturnType<typeof messageJsonWriter> {
  return messageJsonWriter({
    // Clients cannot make Gravatar URLs where addresses are hidden (reference facts, messages 5.2).
    clientGravatar: asked.client_gravatar && !hidesEmails(settings),
    applyMarkdown: asked.apply_markdown,
    showEditHistory: settings.allow_edit_history,
    realmStringId: stringId,
  });
}

type Answer = AnswerOf<typeof getMessagesEndpoint>;

/** GET messages (contract, Messages; reference facts, messages 6). */
export const getMessagesHandler = implement(
  getMessagesEndpoint,
  async (context: MessagesContext, { caller, parameters, signal }) => {
    const asked = parameters.use_first_unread_anchor ? 'first_unread' : parameters.anchor;
    if (asked === null) {
      throw badRequest("Missing 'anchor' argument (or set 'use_first_unread_anchor'=True).");
    }
    const counts = { before: parameters.num_before, after: parameters.num_after };
    if (counts.before + counts.after > limits.messagesPerRequestMax) {
      throw badRequest(`Too many messages requested (maximum ${limits.messagesPerRequestMax}).`);
    }
    const terms = parameters.narrow ?? [];
    const reads = narrowReads(context, signal);
    const read = async (): Promise<{
      anchor: AnchorId;
      listed: ListedPage;
      searchedWords: CompiledNarrow['searchedWords'];
    }> => {
      const narrow = await compileNarrow(reads.database, caller.userId, terms, context.streamIds);
      const { list, stream, searchedWords } = narrow;
      const anchor =
        asked === 'first_unread'
          ? anchorAt(
              (await readNarrowed(reads, narrow, (db) =>
                findFirstUnreadOf(db, list, { stream, fromPointer: terms.length === 0 }),
              )) ?? newestAnchor,
            )
          : asked;
      const listed = await readNarrowed(reads, narrow, (db) =>
        listMessages(db, list, {
          ...pageOf(anchor.id, counts),
          content: parameters.apply_markdown ? 'rendered_content' : 'content',
          alsoRendered: searchedWords !== undefined,
        }),
      );
      const isAsAssumed = await confirmStreams(
        reads.database,
        caller.userId,
        context.streamIds,
        narrow.assumedStreams,
        listed.rows,
      );
      return isAsAssumed ? { anchor, listed, searchedWords } : read();
    };
    const { anchor, listed, searchedWords } = await read();
    const { rows, ...found } = foundOf(anchor.id, counts, listed);
    const matches =
      searchedWords === undefined ? [] : await matchMessages(reads.database, rows, searchedWords);
    const { realm } = listed;
    const answer: Omit<Answer, 'anchor' | 'messages'> = { ...found, history_limited: false };
    const messages = realm === undefined ? [] : rows.map(messageWriter(realm, parameters));
    // What the statement fetched as JSON is of no known type: each answer is compared with its schema in tests.
    return preserialized<Answer>(
      successText({
        anchor: anchor.asSent,
        ...answer,
        messages:
          searchedWords === undefined
            ? messages
            : messages.map((message, n) => ({ ...message, ...matches[n] })),
      }),
    );
  },
);
