/** What decides about an answer by mail (reads tables of `users`, `api_keys`, `messages` and `conversations`; decision 0055). */
import type { Queryable } from '@parley/database';

import { maySeeMessageSql } from '../visibility/visibility-sql.ts';

/** An active person who may answer by mail. */
export type Answerer = {
  /** Where mails to the person go. */
  readonly address: string;
  readonly passwordHash: string | null;
  /** When the API key was made, as text with microseconds; null for who has none. */
  readonly keyMadeAt: string | null;
};

/** Where a message is now. */
export type AnsweredMessage = {
  readonly ageSecs: number;
  readonly streamId: number | null;
  readonly topic: string;
  /** Null for a stream. */
  readonly participantIds: readonly number[] | null;
};

/** @returns undefined for a bot, and for who is not active */
export async function findAnswerer(db: Queryable, userId: number): Promise<Answerer | undefined> {
  const { rows } = await db.query<Answerer>({
    name: 'store-find-answerer',
    text: `SELECT coalesce(u.delivery_email, u.email) AS address, u.password_hash AS "passwordHash",
        extract(epoch FROM k.created_at)::text AS "keyMadeAt"
      FROM users u LEFT JOIN api_keys k ON k.user_id = u.id
      WHERE u.id = $1::bigint AND u.is_active AND u.bot_type IS NULL AND NOT u.is_system`,
    values: [userId],
  });
  return rows[0];
}

/** @returns undefined if there is no such message, or the person may not see it */
export async function findAnsweredMessage(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<AnsweredMessage | undefined> {
  const { rows } = await db.query<AnsweredMessage>({
    name: 'store-find-answered-message',
    text: `SELECT extract(epoch FROM parley_now() - m.sent_at)::double precision AS "ageSecs", m.stream_id AS "streamId", m.topic,
        c.participant_ids AS "participantIds"
      FROM messages m JOIN conversations c ON c.id = m.conversation_id
      WHERE m.id = $2::bigint AND ${maySeeMessageSql('m', '$1::integer')}`,
    values: [userId, messageId],
  });
  return rows[0];
}
