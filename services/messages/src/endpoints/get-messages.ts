import { badRequest, limits } from '@parley/api';
import type { AnswerOf } from '@parley/api';
import { anchorAt, getMessagesEndpoint, newestAnchor } from '@parley/api/messages';
import type { AnchorId } from '@parley/api/messages';
import { implement, preserialized } from '@parley/server';
import type { Preserialized } from '@parley/server';
import { findFirstUnreadOf, listMessages } from '@parley/store';
import type { MessagePage, MessageTexts } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { compileNarrow } from '../narrow/compile-narrow.ts';
import type { CompiledNarrow } from '../narrow/compile-narrow.ts';
import { narrowReads, readNarrowed } from '../narrow/read-narrowed.ts';
import { matchMessages } from '../narrow/search-matches.ts';
import type { SearchMatch } from '../narrow/search-matches.ts';
import { confirmStreams } from '../narrow/stream-ids.ts';
import type { NamedStream } from '../narrow/stream-ids.ts';
import { renderedOf } from '../pages/message-body.ts';
import type { MessageBody } from '../pages/message-body.ts';
import { messageJsonWriter } from '../pages/message-json.ts';
import { keepFitting } from '../pages/page-reader.ts';
import type { ReadPage } from '../pages/page-reader.ts';

/** Before every message. */
const oldestAnchor = 0;

type Counts = { readonly before: number; readonly after: number };

/** The requested part of the list (reference facts, messages 6.3). */
function pageOf(anchor: number, counts: Counts): MessagePage {
  if (anchor === newestAnchor) return { anchor, beforeMax: counts.before, fromAnchorMax: 0 };
  // Ids begin at 1, so no message takes the place of anchor 0.
  if (anchor === oldestAnchor) return { anchor, beforeMax: 0, fromAnchorMax: counts.after };
  return { anchor, beforeMax: counts.before, fromAnchorMax: counts.after + 1 };
}

type PageBounds = {
  readonly rows: readonly MessageBody[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
};

function findPageBounds(
  anchor: number,
  counts: Counts,
  { messages: listed, isCutBelow, isCutAbove }: ReadPage,
): PageBounds {
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
  // One more was listed in case the anchor itself is not among them.
  const after = listed.filter((row) => row.id > anchor).slice(0, counts.after);
  return {
    rows: [...before, ...own, ...after],
    found_anchor: own.length > 0,
    found_oldest: !isCutBelow && before.length < counts.before,
    found_newest: !isCutAbove && after.length < counts.after,
  };
}

/** @returns the texts to read; searches mark the rendered one, whichever is shown */
function textsOf(
  options: { readonly apply_markdown: boolean },
  { searchedWords }: Pick<CompiledNarrow, 'searchedWords'>,
): MessageTexts {
  if (options.apply_markdown) return 'rendered';
  return searchedWords === undefined ? 'written' : 'both';
}

/** @returns the stream of the first message, if there is one */
function streamOf({ messages, names }: ReadPage): NamedStream | undefined {
  const id = messages[0]?.streamId;
  return typeof id === 'number' ? { id, name: names.streamName(id) } : undefined;
}

type WrittenPage = {
  /** The JSON of the messages, with commas between them. */
  readonly json: string;
  readonly isCutBelow: boolean;
  readonly isCutAbove: boolean;
};

/** Writes the messages from the anchor outwards, so that those that no longer fit are not written. */
function writePage(
  { names, flagBitsOf }: ReadPage,
  rows: readonly MessageBody[],
  anchor: number,
  options: { readonly client_gravatar: boolean },
  matches: readonly SearchMatch[],
): WrittenPage {
  if (rows.length === 0) return { json: '', isCutBelow: false, isCutAbove: false };
  const write = messageJsonWriter(names, {
    clientGravatar: options.client_gravatar,
    showEditHistory: true,
  });
  const matchOf = new Map(rows.map(({ id }, n) => [id, matches[n]]));
  const texts = new Map<number, string>();
  const kept = keepFitting(rows, anchor, (row) => {
    const text = write(row, { flagBits: flagBitsOf(row), match: matchOf.get(row.id) });
    texts.set(row.id, text);
    return Buffer.byteLength(text);
  });
  return {
    json: kept.map(({ id }) => texts.get(id)).join(','),
    isCutBelow: kept[0]?.id !== rows[0]?.id,
    isCutAbove: kept.at(-1)?.id !== rows.at(-1)?.id,
  };
}

type Answer = AnswerOf<typeof getMessagesEndpoint>;

function answerOf(
  about: Omit<Answer, 'messages' | 'anchor'> & { readonly anchor: AnchorId['asSent'] },
  messages: string,
): Preserialized<Answer> {
  const start = JSON.stringify({ result: 'success', msg: '', ...about });
  return preserialized(`${start.slice(0, -1)},"messages":[${messages}]}`);
}

/** GET messages (contract, Messages; reference facts, messages 6). */
export const getMessagesHandler = implement(
  getMessagesEndpoint,
  async (context: MessagesContext, { caller, parameters, signal }) => {
    const requested = parameters.use_first_unread_anchor ? 'first_unread' : parameters.anchor;
    if (requested === null) {
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
      page: ReadPage;
      narrow: CompiledNarrow;
    }> => {
      const narrow = await compileNarrow(reads.database, caller.userId, terms, context.streamIds);
      const { list, stream } = narrow;
      const anchor =
        requested === 'first_unread'
          ? anchorAt(
              (await readNarrowed(reads, narrow, (db) =>
                findFirstUnreadOf(db, list, { stream, fromPointer: terms.length === 0 }),
              )) ?? newestAnchor,
            )
          : requested;
      const page = await readNarrowed(reads, narrow, (db) =>
        context.pages.read(
          db,
          (queryable) => listMessages(queryable, list, pageOf(anchor.id, counts)),
          { anchor: anchor.id, texts: textsOf(parameters, narrow) },
        ),
      );
      const isAsAssumed = await confirmStreams(
        reads.database,
        caller.userId,
        context.streamIds,
        narrow.assumedStreams,
        streamOf(page),
      );
      return isAsAssumed ? { anchor, page, narrow } : read();
    };
    const {
      anchor,
      page,
      narrow: { searchedWords, ignoredWords },
    } = await read();
    const { rows, found_anchor, found_oldest, found_newest } = findPageBounds(
      anchor.id,
      counts,
      page,
    );
    const matches =
      searchedWords === undefined
        ? []
        : await matchMessages(rows.map(renderedOf), searchedWords, {
            turns: context.markingTurns,
            signal,
          });
    const { json, isCutBelow, isCutAbove } = writePage(page, rows, anchor.id, parameters, matches);
    return answerOf(
      {
        anchor: anchor.asSent,
        found_anchor,
        found_oldest: found_oldest && !isCutBelow,
        found_newest: found_newest && !isCutAbove,
        history_limited: false,
        ...(ignoredWords.length === 0 ? {} : { ignored_words: ignoredWords }),
      },
      json,
    );
  },
);
