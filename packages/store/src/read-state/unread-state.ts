import type { Queryable } from '@parley/database';

import { flagHitsSql, mutedTopicsSql, readerSql } from '../lists/list-sources-sql.ts';
import type { ListSlice, MessageList } from '../lists/list-sources-sql.ts';
import { lateIdsSql, listIdsSql, listTablesSql, nameOfText } from '../lists/message-query-sql.ts';
import { flagBits, flagBitsSql, readSql } from '../messages/message-sql.ts';
import { unreadListedMax } from './read-state.ts';
import { exceptedSql, inOpenSql, notReadSql } from './unread-list-sql.ts';
import { beyondAllMessages, memberStreamsSql } from '../visibility/visibility-sql.ts';

/** `unread_msgs` of the register answer (reference facts, events 4.1). */
export type UnreadState = {
  readonly pms: readonly {
    readonly sender_id: number;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly streams: readonly {
    readonly stream_id: number;
    readonly topic: string;
    readonly sender_ids: readonly number[];
    readonly unread_message_ids: readonly number[];
  }[];
  readonly huddles: readonly {
    readonly user_ids_string: string;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly mentions: readonly number[];
  readonly count: number;
};

/** A part of the unread messages of one conversation. */
type Piece = {
  readonly conversation_id: number;
  /** Null if the conversation is private. */
  readonly stream_id: number | null;
  /** The topic of the newest message here. */
  readonly topic: string | null;
  readonly participant_ids: number[] | null;
  readonly is_muted: boolean;
  /** Ascending. */
  readonly ids: readonly number[];
  /** In a stream each sender once; in a private conversation the sender of each message. */
  readonly sender_ids: readonly number[];
};

type Row =
  | ({ readonly kind: 'piece' } & Piece)
  | { readonly kind: 'mentions'; readonly ids: readonly number[] | null };

const isUnread = (message: string): string => `NOT ${readSql(message, readerSql)}`;
const isSubscribed = (message: string): string =>
  `(${message}.scope < 0 OR ${message}.scope IN (${memberStreamsSql(readerSql)}))`;

const list: MessageList = {
  conditions: [isUnread, isSubscribed],
  hints: { unread: true, subscribed: true },
  hinted: new Map([
    ['unread', isUnread],
    ['subscribed', isSubscribed],
  ]),
  withHistory: false,
};

const listedMax = '$2::bigint';

const newest: ListSlice = {
  edge: beyondAllMessages,
  bound: () => 'true',
  order: 'DESC',
  limit: listedMax,
};

const messagesOfRange = (place: string, condition: string): string =>
  `SELECT m.id, m.scope, m.conversation_id, m.sender_id FROM messages m
    WHERE ${place} AND m.id > open.level AND m.id <= open.upto ${condition} ORDER BY m.id OFFSET 0`;
const stayedHere =
  'm.conversation_id = open.conversation_id AND m.read_conversation_id = open.conversation_id';
const movedAway =
  'm.read_conversation_id = open.conversation_id AND m.read_conversation_id <> m.conversation_id AND open.has_moved';

/** Whether a message within its range of `open` is in the answer. */
const isListed = `AND m.id >= (SELECT oldest.id FROM oldest) AND ${notReadSql('m')}`;

/**
 * Messages are found where they are unread, not one after the other: each range of `open` is a part of the index over conversations, which
 * contains most of the needed data, in order. Only if so many messages lie in these ranges that the oldest may be too many does the list of
 * the newest give the oldest that counts. They are not counted if there are not so many ids between the ends of the ranges. `extra` is the
 * unread messages outside of their range.
 *
 * Ids are JSON, because this process takes ten times as long to read an array of Postgres. Texts sort by code points in this database.
 */
const piecesText = (): string => `WITH ${listTablesSql(list)}, extra AS MATERIALIZED (
    SELECT m.id, m.scope, m.conversation_id, m.sender_id FROM messages m
    WHERE m.id = ANY (ARRAY((${exceptedSql(newest, '')}) UNION (${lateIdsSql(list, newest)})))
      AND NOT EXISTS (SELECT 1 FROM open WHERE ${inOpenSql('m')} AND ${notReadSql('m')})
  ), oldest AS MATERIALIZED (
    SELECT CASE WHEN (SELECT max(least(open.newest, open.upto)) - min(open.level) FROM open) + (SELECT count(*) FROM extra) <= ${listedMax} THEN 0
      WHEN (SELECT count(*) FROM (
        SELECT 1 FROM open CROSS JOIN LATERAL (${messagesOfRange(stayedHere, '')}) m
        UNION ALL SELECT 1 FROM open CROSS JOIN LATERAL (${messagesOfRange(movedAway, '')}) m
        UNION ALL SELECT 1 FROM extra LIMIT ${listedMax} + 1) counted) > ${listedMax}
      THEN (SELECT min(listed.id) FROM (
        SELECT ids.id FROM (${listIdsSql(list, newest)}) ids ORDER BY ids.id DESC LIMIT ${listedMax}) listed)
      ELSE 0 END AS id
  ), pieces AS MATERIALIZED (
    SELECT open.conversation_id, m.ids, CASE WHEN open.scope > 0 THEN m.different_senders ELSE m.senders END AS sender_ids
    FROM open CROSS JOIN LATERAL (
      SELECT array_agg(m.id ORDER BY m.id) AS ids,
        array_agg(DISTINCT m.sender_id) FILTER (WHERE open.scope > 0) AS different_senders,
        array_agg(m.sender_id ORDER BY m.id) FILTER (WHERE open.scope < 0) AS senders
      FROM (${messagesOfRange(stayedHere, isListed)}) m) m
    WHERE m.ids IS NOT NULL
    UNION ALL
    SELECT m.conversation_id, array_agg(m.id ORDER BY m.id), array_agg(m.sender_id ORDER BY m.id) FROM (
      SELECT m.* FROM open CROSS JOIN LATERAL (${messagesOfRange(movedAway, isListed)}) m
      UNION ALL SELECT extra.* FROM extra WHERE extra.id >= (SELECT oldest.id FROM oldest)) m
    GROUP BY m.conversation_id
  ), quiet AS MATERIALIZED (
    ${mutedTopicsSql}
    UNION ALL SELECT c.id FROM subscriptions s JOIN conversations c ON c.stream_id = s.stream_id
    WHERE s.user_id = ${readerSql} AND s.is_muted
  ), mentioning AS MATERIALIZED (
    SELECT DISTINCT hit.id FROM (${flagHitsSql('mentioned', (alias) => `${alias}.id >= (SELECT min(p.ids[1]) FROM pieces p)`)}) hit
  ), mentions AS MATERIALIZED (
    SELECT m.id, m.conversation_id, ${flagBitsSql('m', readerSql)} AS bits FROM (
      SELECT found.id FROM (SELECT m.* FROM mentioning CROSS JOIN LATERAL (
          SELECT * FROM messages m WHERE m.id = mentioning.id OFFSET 0) m) found
        JOIN open ON ${inOpenSql('found')} WHERE ${notReadSql('found')}
      UNION ALL SELECT extra.id FROM extra WHERE extra.id IN (SELECT mentioning.id FROM mentioning)) unread
    CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.id = unread.id OFFSET 0) m
    WHERE m.id >= (SELECT oldest.id FROM oldest)
  )
  SELECT 'piece' AS kind, p.conversation_id, c.stream_id, p.topic, c.participant_ids, array_to_string(c.participant_ids, ',') AS participants, array_to_json(p.ids) AS ids,
    array_to_json(p.sender_ids) AS sender_ids,
    p.conversation_id IN (SELECT quiet.id FROM quiet) AS is_muted
  FROM (
    SELECT p.*, (SELECT m.topic FROM messages m WHERE m.id = p.newest_id) AS topic FROM (
      SELECT p.*, max(p.ids[cardinality(p.ids)]) OVER (PARTITION BY p.conversation_id) AS newest_id FROM pieces p) p) p
  JOIN conversations c ON c.id = p.conversation_id
  UNION ALL
  SELECT 'mentions', 0, NULL, NULL, NULL, NULL, array_to_json(array_agg(m.id ORDER BY m.id)), NULL, true FROM mentions m
  WHERE m.bits & ${flagBits.mentioned} <> 0
    OR (m.bits & ${flagBits.wildcard_mentioned} <> 0 AND m.conversation_id NOT IN (SELECT quiet.id FROM quiet))
  ORDER BY stream_id, topic, participants`;

/** The bytes of topics and of participants' ids that are listed: others write both, in as many conversations as they like. */
const listedTextsMaxBytes = 512 * 1024;

function textBytes({ topic, participant_ids: people }: Piece): number {
  return people === null ? Buffer.byteLength(JSON.stringify(topic)) : people.join().length;
}

/** @returns the pieces of the newest conversations whose texts fit together */
function cutToNewest(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.reduce((sum, piece) => sum + textBytes(piece), 0) <= listedTextsMaxBytes)
    return pieces;
  const newestOf = (parts: readonly Piece[]): number =>
    Math.max(...parts.map(({ ids }) => ids.at(-1) ?? 0));
  const kept = new Set<number>();
  let bytes = 0;
  for (const parts of conversationsOf(pieces).toSorted((a, b) => newestOf(b) - newestOf(a))) {
    bytes += textBytes(parts[0] as Piece);
    if (bytes > listedTextsMaxBytes) break;
    kept.add(parts[0]?.conversation_id ?? 0);
  }
  return pieces.filter((piece) => kept.has(piece.conversation_id));
}

/**
 * A user's unread messages, grouped as clients expect: the newest `unreadListedMax` messages, without the streams that the user has left.
 * Of conversations with more than `listedTextsMaxBytes` of topics and participants only the newest are listed.
 * Topics that differ only in letter case are one topic (reference facts, messages 3.4), in the spelling of its newest unread message.
 */
export async function unreadState(db: Queryable, userId: number): Promise<UnreadState> {
  const text = piecesText();
  const { rows } = await db.query<Row>({
    name: nameOfText('unread-state', text),
    text,
    values: [userId, unreadListedMax],
  });
  const pieces = cutToNewest(rows.filter((row) => row.kind === 'piece'));
  const inStreams = pieces.filter((piece) => piece.stream_id !== null);
  const isGroup = ({ participant_ids: people }: Piece): boolean => (people?.length ?? 0) > 2;
  const inPrivate = pieces.filter((piece) => piece.stream_id === null);
  return {
    pms: bySender(inPrivate.filter((piece) => !isGroup(piece))),
    streams: conversationsOf(inStreams).map((parts) => ({
      stream_id: parts[0]?.stream_id ?? 0,
      topic: parts[0]?.topic ?? '',
      sender_ids: ascending(new Set(parts.flatMap((piece) => piece.sender_ids))),
      unread_message_ids: idsOf(parts),
    })),
    huddles: conversationsOf(inPrivate.filter(isGroup)).map((parts) => ({
      user_ids_string: parts[0]?.participant_ids?.join(',') ?? '',
      unread_message_ids: idsOf(parts),
    })),
    mentions: rows.find((row) => row.kind === 'mentions')?.ids ?? [],
    count: pieces.reduce((sum, piece) => sum + (piece.is_muted ? 0 : piece.ids.length), 0),
  };
}

function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].toSorted((a, b) => a - b);
}

function conversationsOf(pieces: readonly Piece[]): Piece[][] {
  return [...Map.groupBy(pieces, (piece) => piece.conversation_id).values()];
}

function idsOf(pieces: readonly Piece[]): readonly number[] {
  const [first, ...others] = pieces;
  if (others.length === 0) return first?.ids ?? [];
  return ascending(pieces.flatMap(({ ids }) => ids));
}

function bySender(pieces: readonly Piece[]): UnreadState['pms'] {
  const idsOfSender = new Map<number, number[]>();
  for (const { ids, sender_ids: senders } of pieces) {
    for (const [n, id] of ids.entries()) {
      const sender = senders[n] ?? 0;
      const known = idsOfSender.get(sender);
      if (known === undefined) idsOfSender.set(sender, [id]);
      else known.push(id);
    }
  }
  return ascending(idsOfSender.keys()).map((sender) => ({
    sender_id: sender,
    unread_message_ids: ascending(idsOfSender.get(sender) ?? []),
  }));
}
