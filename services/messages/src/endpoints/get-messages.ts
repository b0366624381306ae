import { fetchedMessageSchema } from '@parley/api-schemas';
import { badRequest, limits, requestVariableInvalid } from '@parley/contracts';
import { convertedNumber, custom, defineEndpoint, jsonBoolean } from '@parley/http';
import { findFirstUnreadOf, listMessages } from '@parley/store';
import type { ListedMessage, ListedPage, MessagePage } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { messageJsonWriter } from '../message-json.ts';
import { compileNarrow } from '../narrow/compile-narrow.ts';
import type { CompiledNarrow } from '../narrow/compile-narrow.ts';
import { parseNarrow } from '../narrow/parse-narrow.ts';
import { readNarrowed } from '../narrow/read-narrowed.ts';
import { matchMessages } from '../narrow/search-matches.ts';
import { confirmStreams } from '../narrow/stream-ids.ts';

/** The anchor that stands for the newest message (reference facts, messages 6.3); exactly a double. */
export const newestAnchor = 10_000_000_000_000_000;
const oldestAnchor = 0;

type Anchor = number | 'first_unread';

const namedAnchors: Readonly<Record<string, Anchor>> = {
  newest: newestAnchor,
  oldest: oldestAnchor,
  first_unread: 'first_unread',
};

/** Other anchors beyond what a double holds exactly are merely large: they are held at the largest safe integer. */
function parseAnchor(raw: string, name: string): Anchor {
  if (Object.hasOwn(namedAnchors, raw)) return namedAnchors[raw] ?? oldestAnchor;
  const match = /^\s*([+-]?)(\d{1,100})\s*$/.exec(raw);
  if (match === null) throw requestVariableInvalid(name, raw);
  const size = BigInt(match[2] ?? '');
  if (size === BigInt(newestAnchor) && match[1] !== '-') return newestAnchor;
  const held = size > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(size);
  return match[1] === '-' && held > 0 ? -held : held;
}

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

/** GET messages (contract, Messages; reference facts, messages 6). */
export const getMessagesEndpoint = defineEndpoint({
  name: 'get-messages',
  method: 'GET',
  path: '/messages',
  summary: 'Fetch messages around an anchor',
  description:
    'The anchor message comes in addition to the two counts. Of very long messages there can be fewer, with `found_oldest` and `found_newest` false accordingly.',
  example: {
    parameters: {
      anchor: 'newest',
      num_before: 2,
      num_after: 0,
      narrow: [
        { operator: 'stream', operand: 'general' },
        { operator: 'topic', operand: 'hello' },
      ],
    },
  },
  access: { authentication: 'required' },
  parameters: [
    custom(
      'anchor',
      {
        encoding: 'json',
        schema: { type: 'string' },
        default: null,
        description: 'A message id; `newest`, `oldest` or `first_unread`',
      },
      parseAnchor,
    ),
    convertedNumber('num_before', { required: true, description: 'Messages below the anchor' }),
    convertedNumber('num_after', { required: true, description: 'Messages above the anchor' }),
    custom(
      'narrow',
      {
        encoding: 'json',
        schema: { type: 'array', items: {} },
        default: null,
        description: 'Terms of operator and operand',
      },
      parseNarrow,
    ),
    jsonBoolean('use_first_unread_anchor', { default: false, description: 'Wins over `anchor`' }),
    jsonBoolean('client_gravatar', {
      default: false,
      description: '`avatar_url` is null where clients can make it',
    }),
    jsonBoolean('apply_markdown', { default: true, description: 'HTML instead of the raw text' }),
  ],
  response: {
    type: 'object',
    properties: {
      anchor: { type: 'integer' },
      found_anchor: { type: 'boolean' },
      found_oldest: { type: 'boolean' },
      found_newest: { type: 'boolean' },
      history_limited: { type: 'boolean' },
      messages: { type: 'array', items: fetchedMessageSchema },
    },
    required: [
      'anchor',
      'found_anchor',
      'found_oldest',
      'found_newest',
      'history_limited',
      'messages',
    ],
  },
  errors: ['BAD_NARROW'],
  handler: async (context: MessagesContext, { caller, parameters }) => {
    const wantsFirstUnread =
      parameters.use_first_unread_anchor || parameters.anchor === 'first_unread';
    if (!wantsFirstUnread && parameters.anchor === null) {
      throw badRequest("Missing 'anchor' argument (or set 'use_first_unread_anchor'=True).");
    }
    const counts = { before: parameters.num_before, after: parameters.num_after };
    if (counts.before + counts.after > limits.messagesPerRequestMax) {
      throw badRequest(`Too many messages requested (maximum ${limits.messagesPerRequestMax}).`);
    }
    const terms = parameters.narrow ?? [];
    const read = async (): Promise<{
      anchor: number;
      listed: ListedPage;
      searchedWords: CompiledNarrow['searchedWords'];
    }> => {
      const narrow = await compileNarrow(context.pool, caller.userId, terms, context.streamIds);
      const { list, stream, searchedWords } = narrow;
      const anchor = wantsFirstUnread
        ? ((await readNarrowed(context, narrow, (db) =>
            findFirstUnreadOf(db, list, { stream, fromPointer: terms.length === 0 }),
          )) ?? newestAnchor)
        : Number(parameters.anchor);
      const listed = await readNarrowed(context, narrow, (db) =>
        listMessages(db, list, {
          ...pageOf(anchor, counts),
          content: parameters.apply_markdown ? 'rendered_content' : 'content',
          alsoRendered: searchedWords !== undefined,
        }),
      );
      const isAsAssumed = await confirmStreams(
        context.pool,
        context.streamIds,
        narrow.assumedStreams,
        listed.rows,
      );
      return isAsAssumed ? { anchor, listed, searchedWords } : read();
    };
    const { anchor, listed, searchedWords } = await read();
    const { rows, ...found } = foundOf(anchor, counts, listed);
    const matches =
      searchedWords === undefined ? [] : await matchMessages(context.pool, rows, searchedWords);
    const { realm } = listed;
    if (realm === undefined) return { anchor, ...found, history_limited: false, messages: [] };
    const writeMessage = messageJsonWriter({
      // Clients cannot make Gravatar URLs where addresses are hidden (reference facts, messages 5.2).
      clientGravatar:
        parameters.client_gravatar &&
        realm.settings.email_address_visibility !== administratorsOnly,
      applyMarkdown: parameters.apply_markdown,
      showEditHistory: realm.settings.allow_edit_history,
      realmStringId: realm.stringId,
    });
    const messages =
      searchedWords === undefined
        ? rows.map(writeMessage)
        : rows.map((row, n) => ({ ...writeMessage(row), ...matches[n] }));
    return { anchor, ...found, history_limited: false, messages };
  },
});

const administratorsOnly = 3;
