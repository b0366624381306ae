import type { Queryable } from '@parley/database';

import { flagBits, flagBitsSql } from './message-sql.ts';
import { unreadListedMax } from './read-state.ts';
import { unreadIdsSql } from './unread-sql.ts';

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

type UnreadRow = {
  readonly id: number;
  readonly stream_id: number | null;
  readonly conversation_id: number;
  readonly topic: string;
  readonly sender_id: number;
  readonly participant_ids: number[] | null;
  readonly bits: number;
  readonly muted: boolean;
};

const unreadText = `SELECT m.id, m.stream_id, m.conversation_id, m.topic, m.sender_id, c.participant_ids, ${flagBitsSql('m', '$1')} AS bits,
    coalesce(s.is_muted, false) OR t.user_id IS NOT NULL AS muted
  FROM (SELECT listed.id FROM (
      ${unreadIdsSql({ user: '$1', subscribedOnly: true, order: 'DESC', limit: '$2' })}
    ) listed ORDER BY listed.id DESC LIMIT $2) u
  JOIN messages m ON m.id = u.id
  JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN subscriptions s ON s.user_id = $1 AND s.stream_id = m.stream_id
  LEFT JOIN muted_topics t ON t.user_id = $1 AND t.stream_id = c.stream_id AND t.topic_folded = c.topic_folded
  ORDER BY m.id`;

function comparePlain(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * What a user has not read, grouped as clients want it: the newest `unreadListedMax` messages, without the streams he has left.
 * Topics that differ in letter case only are one topic, under the spelling of its newest unread message.
 */
export async function unreadState(db: Queryable, userId: number): Promise<UnreadState> {
  const { rows } = await db.query<UnreadRow>({
    name: 'unread-state',
    text: unreadText,
    values: [userId, unreadListedMax],
  });
  const pms = new Map<number, number[]>();
  const streams = new Map<
    number,
    { stream_id: number; topic: string; senders: Set<number>; unread_message_ids: number[] }
  >();
  const huddles = new Map<number, { user_ids_string: string; unread_message_ids: number[] }>();
  const mentions: number[] = [];
  let count = 0;
  for (const row of rows) {
    const named = (row.bits & flagBits.mentioned) !== 0;
    const wildcard = (row.bits & flagBits.wildcard_mentioned) !== 0;
    if (named || (wildcard && !row.muted)) mentions.push(row.id);
    if (!row.muted) count += 1;
    if (row.stream_id !== null) {
      let topic = streams.get(row.conversation_id);
      if (topic === undefined) {
        topic = {
          stream_id: row.stream_id,
          topic: row.topic,
          senders: new Set(),
          unread_message_ids: [],
        };
        streams.set(row.conversation_id, topic);
      }
      topic.topic = row.topic;
      topic.senders.add(row.sender_id);
      topic.unread_message_ids.push(row.id);
    } else if ((row.participant_ids?.length ?? 0) > 2) {
      let huddle = huddles.get(row.conversation_id);
      if (huddle === undefined) {
        huddle = { user_ids_string: (row.participant_ids ?? []).join(','), unread_message_ids: [] };
        huddles.set(row.conversation_id, huddle);
      }
      huddle.unread_message_ids.push(row.id);
    } else {
      const ids = pms.get(row.sender_id);
      if (ids === undefined) pms.set(row.sender_id, [row.id]);
      else ids.push(row.id);
    }
  }
  return {
    pms: [...pms]
      .map(([sender_id, unread_message_ids]) => ({ sender_id, unread_message_ids }))
      .toSorted((a, b) => a.sender_id - b.sender_id),
    streams: [...streams.values()]
      .map(({ senders, ...topic }) => ({
        ...topic,
        sender_ids: [...senders].toSorted((a, b) => a - b),
      }))
      .toSorted((a, b) => a.stream_id - b.stream_id || comparePlain(a.topic, b.topic)),
    huddles: [...huddles.values()].toSorted((a, b) =>
      comparePlain(a.user_ids_string, b.user_ids_string),
    ),
    mentions,
    count,
  };
}
