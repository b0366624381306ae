/**
 * What decides whether people are notified of messages, read when the notification is sent (reads tables of `users`, `messages`, `subscriptions`,
 * `muted-topics` and `presence`). So nobody is notified of a message that is gone, read, or no longer to be seen.
 */
import type { UserSettings } from '@parley/api/people';
import type { Queryable } from '@parley/database';

import { flagBitsSql, namesOfFlags, readSql } from '../messages/message-sql.ts';
import type { FlagName } from '../messages/message-sql.ts';
import { userSettings } from '../people/user-settings.ts';
import { holdsMessageSql, isKeptForSql } from '../visibility/visibility-sql.ts';
import type { Candidate } from './messages-to-mail.ts';

/**
 * A person is active while one of the person's clients reported activity within this time, in seconds: clients report about every minute
 * while somebody uses them, and never otherwise. This is the time after which clients show a person as away.
 */
export const activeForSecs = 140;

/** A person and an unread message that the person holds. */
export type NotificationFacts = Candidate & {
  readonly recipient: {
    readonly email: string;
    readonly fullName: string;
    readonly settings: UserSettings;
    /** How long the person counts as active yet; 0 if the person is away. */
    readonly activeSecs: number;
  };
  readonly message: {
    readonly senderId: number;
    readonly senderName: string;
    readonly flags: readonly FlagName[];
    readonly renderedContent: string;
    readonly sentAt: Date;
    readonly place: StoredPlace;
  };
  /** Undefined for a private message, and without a subscription. */
  readonly subscription:
    | {
        readonly is_muted: boolean;
        readonly push_notifications: boolean | null;
        readonly email_notifications: boolean | null;
        readonly desktop_notifications: boolean | null;
        readonly audible_notifications: boolean | null;
        readonly wildcard_mentions_notify: boolean | null;
      }
    | undefined;
  readonly hasMutedTopic: boolean;
};

/** Where a message is now. */
export type StoredPlace = { readonly conversationId: number } & (
  | {
      readonly type: 'stream';
      readonly streamId: number;
      readonly streamName: string;
      readonly topic: string;
    }
  | { readonly type: 'private'; readonly participantIds: readonly number[] }
);

type FactsRow = Candidate & {
  readonly email: string;
  readonly fullName: string;
  readonly settings: Partial<UserSettings>;
  readonly activeSecs: number;
  readonly senderId: number;
  readonly senderName: string;
  readonly flagBits: number;
  readonly renderedContent: string;
  readonly sentAt: Date;
  readonly conversationId: number;
  readonly streamId: number | null;
  readonly streamName: string | null;
  readonly topic: string;
  readonly participantIds: readonly number[] | null;
  readonly subscription: NonNullable<NotificationFacts['subscription']> | null;
  readonly hasMutedTopic: boolean;
};

function placeOf(row: FactsRow): StoredPlace {
  const { conversationId, streamId, streamName, topic, participantIds } = row;
  if (streamId === null || streamName === null)
    return { conversationId, type: 'private', participantIds: participantIds ?? [] };
  return { conversationId, type: 'stream', streamId, streamName, topic };
}

function factsOf(row: FactsRow): NotificationFacts {
  const { userId, messageId, email, fullName, activeSecs, senderId, senderName } = row;
  return {
    userId,
    messageId,
    recipient: { email, fullName, settings: userSettings(row), activeSecs },
    message: {
      senderId,
      senderName,
      flags: namesOfFlags(row.flagBits),
      renderedContent: row.renderedContent,
      sentAt: row.sentAt,
      place: placeOf(row),
    },
    subscription: row.subscription ?? undefined,
    hasMutedTopic: row.hasMutedTopic,
  };
}

/** Of a message's HTML, which notifications cut anyway. */
const contentMaxCharacters = 20_000;

/**
 * Reads what decides about candidates.
 *
 * @returns only those of active people, of messages that exist, that the person holds and has not read; by person and message
 */
export async function listNotificationFacts(
  db: Queryable,
  candidates: readonly Candidate[],
): Promise<NotificationFacts[]> {
  const { rows } = await db.query<FactsRow>({
    name: 'store-list-notification-facts',
    text: `SELECT u.id AS "userId", m.id AS "messageId", coalesce(u.delivery_email, u.email) AS email, u.full_name AS "fullName", u.settings,
        greatest(0, ${activeForSecs} - extract(epoch FROM parley_now() - seen.at))::double precision AS "activeSecs",
        m.sender_id AS "senderId", sender.full_name AS "senderName", ${flagBitsSql('m', 'u.id')} AS "flagBits",
        left(m.rendered_content, ${contentMaxCharacters}) AS "renderedContent", m.sent_at AS "sentAt",
        m.conversation_id AS "conversationId", m.stream_id AS "streamId", s.name AS "streamName", m.topic,
        c.participant_ids AS "participantIds",
        CASE WHEN sub.user_id IS NOT NULL THEN json_build_object('is_muted', sub.is_muted,
          'push_notifications', sub.push_notifications, 'email_notifications', sub.email_notifications,
          'desktop_notifications', sub.desktop_notifications, 'audible_notifications', sub.audible_notifications,
          'wildcard_mentions_notify', sub.wildcard_mentions_notify) END AS subscription,
        EXISTS (SELECT 1 FROM muted_topics t WHERE t.user_id = u.id AND t.stream_id = c.stream_id AND t.topic_folded = c.topic_folded)
          AS "hasMutedTopic"
      FROM unnest($1::integer[], $2::bigint[]) d (user_id, message_id)
      JOIN users u ON u.id = d.user_id AND u.is_active AND u.bot_type IS NULL AND NOT u.is_system
      JOIN messages m ON m.id = d.message_id
      JOIN users sender ON sender.id = m.sender_id
      JOIN conversations c ON c.id = m.conversation_id
      LEFT JOIN streams s ON s.id = m.stream_id
      LEFT JOIN subscriptions sub ON sub.user_id = u.id AND sub.stream_id = m.stream_id AND sub.is_active
      LEFT JOIN LATERAL (SELECT max(p.reported_at) AS at FROM presence p WHERE p.user_id = u.id AND p.status = 'active') seen ON true
      WHERE (s.id IS NULL OR NOT s.is_deactivated) AND ${holdsMessageSql('m', 'u.id')} AND NOT ${isKeptForSql('m', 'u.id')} AND NOT ${readSql('m', 'u.id')}
      ORDER BY u.id, m.id`,
    values: [candidates.map(({ userId }) => userId), candidates.map(({ messageId }) => messageId)],
  });
  return rows.map(factsOf);
}
