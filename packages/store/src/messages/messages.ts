/** Reads of messages (owner of `messages`, `send_keys` and `stream_first_messages`, which the log's append function writes). */
import type { Queryable } from '@parley/database';

import { mutedSql, readerSql, sliceOf } from '../lists/list-sources-sql.ts';
import type { ListHints, MessageCondition, MessageList } from '../lists/list-sources-sql.ts';
import { emptyPage, readPage } from '../lists/listed-page.ts';
import type { ListedPage, PageRow } from '../lists/listed-page.ts';
import { Bindings, listIdsSql, listTablesSql, nameOfText } from '../lists/message-query-sql.ts';
import { flagBits, readSql } from './message-sql.ts';
import { pageSql } from '../lists/page-sql.ts';
import { pageSideBytesMax } from './shown-messages.ts';
import {
  holdsMessageSql,
  isKeptForSql,
  keptForSql,
  mayChangeMessageSql,
  maySeeMessageSql,
} from '../visibility/visibility-sql.ts';

/** The data of one message for permissions and changes. */
export type MessageFacts = {
  readonly id: number;
  readonly senderId: number;
  readonly streamId: number | null;
  readonly conversationId: number;
  readonly topic: string;
  readonly content: string;
  readonly renderedContent: string;
  readonly sentAtSecs: number;
  /** Whether the user may change it, or what is shown with it. */
  readonly mayChange: boolean;
};

/**
 * Finds a message that a user may see: one that the user holds, or one of a stream whose whole history the user may read (reference facts,
 * messages 7). Permission and content come from one snapshot.
 */
export async function findVisibleMessage(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<MessageFacts | undefined> {
  const { rows } = await db.query<MessageFacts>({
    name: 'message-visible',
    text: `SELECT m.id, m.sender_id AS "senderId", m.stream_id AS "streamId", m.conversation_id AS "conversationId",
        coalesce(held.topic, m.topic) AS topic, coalesce(held.content, m.content) AS content,
        coalesce(held.rendered_content, m.rendered_content) AS "renderedContent", extract(epoch FROM m.sent_at)::bigint AS "sentAtSecs",
        ${mayChangeMessageSql('m', '$1::integer')} AS "mayChange"
      FROM messages m LEFT JOIN LATERAL (${keptForSql('m', '$1')}) held ON true
      WHERE m.id = $2::bigint AND ${maySeeMessageSql('m', '$1::integer')}`,
    values: [userId, messageId],
  });
  return rows[0];
}

/** @returns whether the user holds any message that is in this conversation now */
export async function holdsAnyOf(
  db: Queryable,
  userId: number,
  conversationId: number,
): Promise<boolean> {
  const { rows } = await db.query<{ holds: boolean }>({
    name: 'message-holds-any',
    text: `SELECT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = $2 AND ${holdsMessageSql('m', '$1::integer')}) AS holds`,
    values: [userId, conversationId],
  });
  return rows[0]?.holds ?? false;
}

/** A message found by its id. */
export type HeldMessage = {
  readonly id: number;
  readonly topic: string;
  readonly renderedContent: string;
};

/**
 * Finds the given messages that the user holds and that match a list, even if the list includes messages that are not held.
 *
 * @returns them by ascending id; undefined if their texts together exceed the bound of a page
 */
export async function listHeldOf(
  db: Queryable,
  list: MessageListBuilder,
  messageIds: readonly number[],
): Promise<HeldMessage[] | undefined> {
  const values = new Bindings(0);
  values.values.splice(0, 1, ...list.bindings.values);
  const ids = values.bind(messageIds, 'bigint[]');
  const conditions = list.conditions.map((condition) => `AND (${condition('m')})`).join(' ');
  const text = `WITH found AS MATERIALIZED (
      SELECT m.id, m.topic, m.rendered_content FROM (SELECT * FROM messages given WHERE given.id = ANY (${ids}) OFFSET 0) m
      WHERE ${holdsMessageSql('m', readerSql)} AND NOT ${isKeptForSql('m', readerSql)} ${conditions}
    ), whole AS MATERIALIZED (
      SELECT coalesce(sum(octet_length(found.rendered_content)), 0) <= ${pageSideBytesMax} AS "isShort" FROM found
    )
    SELECT whole."isShort", found.id, found.topic, found.rendered_content AS "renderedContent"
    FROM whole LEFT JOIN found ON whole."isShort" ORDER BY found.id`;
  const { rows } = await db.query<{ isShort: boolean } & (HeldMessage | { id: null })>({
    ...nameOf(list, text),
    text,
    values: values.values,
  });
  if (rows[0]?.isShort !== true) return undefined;
  return rows.filter((row) => row.id !== null);
}

// A name keeps a plan on every connection, so only the common shapes get one.
const namedConditionsMax = 2;

function nameOf(list: MessageList, text: string): { name?: string } {
  if (list.conditions.length > namedConditionsMax) return {};
  return { name: nameOfText('messages', text) };
}

/** A list and its bound values; the narrow's operators make the conditions. */
export class MessageListBuilder {
  /** The reader of the list. */
  readonly userId: number;
  readonly bindings: Bindings;
  readonly conditions: MessageCondition[] = [];
  readonly hints: ListHints = {};
  readonly hinted = new Map<keyof ListHints, MessageCondition>();
  withHistory = false;

  constructor(userId: number) {
    this.userId = userId;
    this.bindings = new Bindings(userId);
  }

  /** @returns an expression for the value, which never becomes part of the text */
  bind(
    value: unknown,
    type: 'integer' | 'bigint' | 'text' | 'bigint[]' | 'text[]' | 'timestamptz',
  ): string {
    return this.bindings.bind(value, type);
  }
}

export type MessagePage = {
  /** The number of messages to list below the anchor, and from the anchor on. */
  readonly anchor: number;
  readonly beforeMax: number;
  /** The anchor included. */
  readonly fromAnchorMax: number;
};

/** @returns which messages of the page the user may see, in one statement */
export async function listMessages(
  db: Queryable,
  list: MessageListBuilder,
  page: MessagePage,
): Promise<ListedPage> {
  const values = new Bindings(0);
  values.values.splice(0, 1, ...list.bindings.values);
  const anchor = values.bind(page.anchor, 'bigint');
  const slices: string[] = [];
  // An empty side is left out, because it takes as long to plan as a full one.
  const add = (order: 'ASC' | 'DESC', max: number): void => {
    if (max === 0) return;
    const limit = values.bind(max, 'bigint');
    const ids = listIdsSql(list, sliceOf(list, order, anchor, limit));
    slices.push(`(SELECT s.id FROM (${ids}) s ORDER BY s.id ${order} LIMIT ${limit})`);
  };
  add('DESC', page.beforeMax);
  add('ASC', page.fromAnchorMax);
  if (slices.length === 0) return emptyPage;
  const text = `WITH ${listTablesSql(list)}, picked AS MATERIALIZED (${slices.join(' UNION ALL ')}), ${pageSql(list)}`;
  const { rows } = await db.query<PageRow>({ ...nameOf(list, text), text, values: values.values });
  return readPageOf(rows, list);
}

function readPageOf([row]: readonly PageRow[], { userId }: MessageListBuilder): ListedPage {
  if (row === undefined) throw new Error('the statement of a page gave no row');
  return readPage(row, userId);
}

/**
 * Lists the message that an outgoing-webhook bot was called for. A bot that an edit has removed from the mentions does not get the new
 * text.
 *
 * @returns a page without messages if the message is deleted or no longer mentions the bot
 */
export async function listMessageOfCall(
  db: Queryable,
  botId: number,
  messageId: number,
): Promise<ListedPage> {
  const list = new MessageListBuilder(botId);
  const id = list.bindings.bind(messageId, 'bigint');
  const { rows } = await db.query<PageRow>({
    name: 'message-of-call',
    text: `WITH picked AS MATERIALIZED (
        SELECT m.id FROM messages m LEFT JOIN conversations c ON c.id = m.conversation_id AND m.stream_id IS NULL
        WHERE m.id = ${id} AND (${readerSql} = ANY (c.participant_ids) OR m.stream_id IS NOT NULL AND EXISTS (
          SELECT 1 FROM message_flags f WHERE f.user_id = ${readerSql} AND f.message_id = m.id AND f.set_bits & ${flagBits.mentioned} <> 0))
      ), ${pageSql(list)}`,
    values: list.bindings.values,
  });
  return readPageOf(rows, list);
}

/** What is excluded from the search for the first unread message (reference facts, messages 6.4). */
export type UnreadScope = {
  /** Given if a narrow names a stream: then only that stream's muted topics are excluded. */
  readonly stream: string | undefined;
  /** Whether messages below the user's pointer are excluded. */
  readonly fromPointer: boolean;
};

/** @returns the oldest message of the list that the user holds, has not read and has not muted, or undefined */
export async function findFirstUnreadOf(
  db: Queryable,
  list: MessageListBuilder,
  scope: UnreadScope,
): Promise<number | undefined> {
  const isUnread: MessageCondition = (message) => `NOT ${readSql(message, readerSql)}`;
  const isAudible: MessageCondition = (message) =>
    `NOT ${mutedSql(message, scope.stream === undefined ? { streams: true } : { streams: false, stream: scope.stream })}`;
  const unread: MessageList = {
    conditions: [
      ...list.conditions.filter((condition) => condition !== list.hinted.get('unread')),
      isUnread,
      isAudible,
    ],
    hints: {
      ...list.hints,
      unread: true,
      ...(scope.stream === undefined ? { notMuted: true } : {}),
    },
    hinted: new Map([...list.hinted, ['unread', isUnread]]),
    // Messages that the user sees without holding them are read.
    withHistory: false,
  };
  const edge = scope.fromPointer
    ? `(SELECT pointing.pointer FROM users pointing WHERE pointing.id = ${readerSql})`
    : '0::bigint';
  const ids = listIdsSql(unread, sliceOf(unread, 'ASC', edge, '1'));
  const text = `WITH ${listTablesSql(unread)} SELECT min(u.id) AS id FROM (${ids}) u`;
  const { rows } = await db.query<{ id: number | null }>({
    ...nameOf(list, text),
    text,
    values: list.bindings.values,
  });
  return rows[0]?.id ?? undefined;
}

/** @returns the id of a stream's first message if it is at or below the given one, otherwise null */
export async function findFirstMessageUpTo(
  db: Queryable,
  streamId: number,
  messageId: number,
): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>({
    name: 'message-first-of-stream',
    text: 'SELECT message_id AS id FROM stream_first_messages WHERE stream_id = $1 AND message_id <= $2',
    values: [streamId, messageId],
  });
  return rows[0]?.id ?? null;
}
