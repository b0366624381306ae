import type { Queryable } from '@parley/database';

import { mutedTopicsSql, readerSql } from './list-sources-sql.ts';
import type { MessageList } from './list-sources-sql.ts';
import { listIdsSql, listTablesSql, nameOfText } from './message-query-sql.ts';
import { flagBits, readSql } from './message-sql.ts';
import { unreadListedMax } from './read-state.ts';

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

type GroupRow = {
  readonly kind: 'pm' | 'stream' | 'huddle' | 'mentions';
  /** The stream's or the sender's id. */
  readonly key: number | null;
  /** The topic, or the people of a group. */
  readonly name: string | null;
  readonly sender_ids: number[] | null;
  readonly ids: number[] | null;
  /** Of the group's messages those that are not muted. */
  readonly counted: number;
};

const isUnread = (message: string): string => `NOT ${readSql(message, readerSql)}`;
const isSubscribed = (message: string): string =>
  `(${message}.scope < 0 OR ${message}.scope IN (SELECT present.stream_id FROM membership_periods present
    WHERE present.user_id = ${readerSql} AND present.until_change_id IS NULL))`;

const list: MessageList = {
  conditions: [isUnread, isSubscribed],
  hints: { unread: true, subscribed: true },
  hinted: new Map([
    ['unread', isUnread],
    ['subscribed', isSubscribed],
  ]),
  withHistory: false,
};

const above = '$2::bigint';

// Texts sort by code points in this database.
const unreadText = (): string => `WITH ${listTablesSql(list)}, picked AS MATERIALIZED (
    SELECT listed.id FROM (${listIdsSql(list, {
      edge: '9000000000000000000',
      bound: () => 'true',
      order: 'DESC',
      limit: above,
    })}) listed ORDER BY listed.id DESC LIMIT ${above}
  ), own AS MATERIALIZED (
    SELECT f.message_id, f.set_bits, f.cleared_bits FROM message_flags f
    WHERE f.user_id = ${readerSql} AND f.message_id >= (SELECT min(picked.id) FROM picked)
  ), quiet AS MATERIALIZED (
    ${mutedTopicsSql}
    UNION ALL SELECT c.id FROM subscriptions s JOIN conversations c ON c.stream_id = s.stream_id
    WHERE s.user_id = ${readerSql} AND s.is_muted
  ), unread AS MATERIALIZED (
    SELECT m.id, m.stream_id, m.conversation_id, m.topic, m.sender_id,
      m.conversation_id IN (SELECT quiet.id FROM quiet) AS is_muted,
      (CASE WHEN ${readerSql} = ANY (m.group_mentioned_ids) THEN ${flagBits.mentioned} ELSE 0 END
        | CASE WHEN m.mentions_wildcard THEN ${flagBits.wildcard_mentioned} ELSE 0 END
        | coalesce(own.set_bits, 0)) & ~coalesce(own.cleared_bits, 0) AS bits
    FROM messages m LEFT JOIN own ON own.message_id = m.id WHERE m.id = ANY (ARRAY(SELECT picked.id FROM picked))
  ), private AS MATERIALIZED (
    SELECT u.id, u.sender_id, u.conversation_id, c.participant_ids
    FROM unread u JOIN conversations c ON c.id = u.conversation_id WHERE u.stream_id IS NULL
  )
  SELECT * FROM (
    SELECT 'stream' AS kind, u.stream_id AS key, (array_agg(u.topic ORDER BY u.id DESC))[1] AS name,
      array_agg(DISTINCT u.sender_id) AS sender_ids, array_agg(u.id ORDER BY u.id) AS ids, count(*) FILTER (WHERE NOT u.is_muted) AS counted
    FROM unread u WHERE u.stream_id IS NOT NULL GROUP BY u.stream_id, u.conversation_id
    UNION ALL
    SELECT 'pm', p.sender_id, NULL, NULL, array_agg(p.id ORDER BY p.id), count(*)
    FROM private p WHERE cardinality(p.participant_ids) < 3 GROUP BY p.sender_id
    UNION ALL
    SELECT 'huddle', NULL, array_to_string(p.participant_ids, ','), NULL, array_agg(p.id ORDER BY p.id), count(*)
    FROM private p WHERE cardinality(p.participant_ids) > 2 GROUP BY p.participant_ids
    UNION ALL
    SELECT 'mentions', NULL, NULL, NULL, array_agg(u.id ORDER BY u.id), 0 FROM unread u
    WHERE u.bits & ${flagBits.mentioned} <> 0 OR (u.bits & ${flagBits.wildcard_mentioned} <> 0 AND NOT u.is_muted)
  ) listed ORDER BY listed.kind, listed.key, listed.name`;

/**
 * What a user has not read, grouped as clients want it: the newest `unreadListedMax` messages, without the streams he has left.
 * Topics that differ in letter case only are one topic (reference facts, messages 3.4), under the spelling of its newest unread
 * message.
 */
export async function unreadState(db: Queryable, userId: number): Promise<UnreadState> {
  const text = unreadText();
  const { rows } = await db.query<GroupRow>({
    name: nameOfText('unread-state', text),
    text,
    values: [userId, unreadListedMax],
  });
  const of = (kind: GroupRow['kind']): GroupRow[] => rows.filter((row) => row.kind === kind);
  return {
    pms: of('pm').map((row) => ({ sender_id: row.key ?? 0, unread_message_ids: row.ids ?? [] })),
    streams: of('stream').map((row) => ({
      stream_id: row.key ?? 0,
      topic: row.name ?? '',
      sender_ids: row.sender_ids ?? [],
      unread_message_ids: row.ids ?? [],
    })),
    huddles: of('huddle').map((row) => ({
      user_ids_string: row.name ?? '',
      unread_message_ids: row.ids ?? [],
    })),
    mentions: of('mentions')[0]?.ids ?? [],
    count: rows.reduce((sum, row) => sum + row.counted, 0),
  };
}
