/**
 * Whom new messages may concern (owner of `told_upto` and `mentions_added`; decisions 0053 and 0066). Rows of `messages_to_mail` and `messages_to_push` are
 * candidates: whether somebody is notified is decided when it is due.
 *
 * Everything follows from the message by key, and people are read last. So what a message costs that concerns nobody depends neither on the
 * size of the organization nor on statistics, which new tables do not have.
 */
import { userSettingDefaults } from '@parley/api/people';
import type { UserSettings } from '@parley/api/people';
import type { Client, Queryable } from '@parley/database';

import { flagBits } from '../messages/message-sql.ts';
import { wakePushSubscriptions } from './push-subscriptions.ts';

/** Nobody is notified of messages that are older, in seconds: after an outage people read by themselves. */
export const notifiedMaxAgeSecs = 86_400;

/** What besides Web Push candidates are written for. */
export type EnabledChannels = { readonly mail: boolean };

/** New messages, above the first id up to the second. */
export type NewMessages = { readonly after: number; readonly upto: number };

/** A message that concerns somebody. */
export type ConcerningMessage = {
  readonly id: number;
  /** People whom it may concern, counted up to {@link concernedCountMax}. */
  readonly concerned: number;
};

/** What one look at new messages finds. */
export type LookedAt = {
  readonly upto: number;
  readonly concerning: readonly ConcerningMessage[];
};

/** A message that concerns so many has a transaction of its own anyway. */
export const concernedCountMax = 1_000;

const isRecentSql = `m.sent_at > parley_now() - make_interval(secs => ${notifiedMaxAgeSecs})`;

/** What says of `m` whom it concerns. */
const messageColumns =
  'm.id, m.sender_id, m.stream_id, m.conversation_id, m.mentions_wildcard, m.group_mentioned_ids, m.sent_at';

/** Whom `m` mentions. */
const mentionedSql = `SELECT f.user_id FROM message_flags f
    WHERE f.message_id = m.id AND (f.set_bits & ${flagBits.mentioned}) <> 0
  UNION ALL SELECT unnest(m.group_mentioned_ids)
  UNION ALL SELECT s.user_id FROM subscriptions s
    WHERE m.mentions_wildcard AND s.stream_id = m.stream_id AND s.is_active`;

/**
 * Who wants to be notified of every message of the streams of some messages, or would if the stream were not set otherwise: found once for
 * each stream, and only where there is somebody.
 *
 * @param messages a table or list in the statement
 */
function toldSql(messages: string): string {
  return `told_of_all AS MATERIALIZED (
    SELECT coalesce(array_agg(w.id), '{}') AS ids FROM users w
    WHERE w.is_active AND ((w.settings ->> 'enable_stream_push_notifications')::boolean
      OR (w.settings ->> 'enable_stream_email_notifications')::boolean)
  ), told AS MATERIALIZED (
    SELECT d.stream_id, s.ids FROM (SELECT DISTINCT m.stream_id FROM ${messages} m WHERE m.stream_id IS NOT NULL) d
    CROSS JOIN LATERAL (SELECT ARRAY(
      SELECT s.user_id FROM subscriptions s WHERE s.stream_id = d.stream_id AND s.is_active AND (s.push_notifications OR s.email_notifications)
      UNION SELECT s.user_id FROM subscriptions s
        WHERE s.stream_id = d.stream_id AND s.is_active AND s.user_id = ANY ((SELECT t.ids FROM told_of_all t)::integer[])
    ) AS ids OFFSET 0) s WHERE s.ids <> '{}'
  )`;
}

/**
 * Everybody whom `notificationsFor` can notify of `m` by push or mail: participants, the mentioned, and those in `told`. The cost follows
 * their number, not that of the subscribers.
 */
const concernedSql = `SELECT unnest(c.participant_ids) AS user_id FROM conversations c
    WHERE m.stream_id IS NULL AND c.id = m.conversation_id
  UNION ALL ${mentionedSql}
  UNION ALL SELECT unnest(t.ids) FROM told t WHERE t.stream_id = m.stream_id`;

/** What there is to look at. */
export type FoundMessages = NewMessages & {
  /** Whether edits added mentions. */
  readonly hasAdditions: boolean;
  /** Whether a channel might notify of any of it. */
  readonly isWorthIt: boolean;
};

/** @returns what nobody has looked at */
export async function findNewMessages(db: Queryable, by: EnabledChannels): Promise<FoundMessages> {
  const { rows } = await db.query<FoundMessages>({
    name: 'store-find-new-messages',
    text: `SELECT t.message_id AS after, coalesce((SELECT max(m.id) FROM messages m), 0) AS upto,
        EXISTS (SELECT 1 FROM mentions_added) AS "hasAdditions", $1 OR EXISTS (SELECT 1 FROM push_subscriptions) AS "isWorthIt"
      FROM told_upto t`,
    values: [by.mail],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('told_upto has no row');
  return row;
}

/** @returns how many messages nobody has looked at yet */
export async function countMessagesToLookAt(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'store-count-messages-to-look-at',
    text: 'SELECT count(*) AS count FROM messages m WHERE m.id > (SELECT t.message_id FROM told_upto t)',
  });
  return rows[0]?.count ?? 0;
}

/** Looks at the first of some new messages, without a lock. */
export async function lookAtMessages(
  db: Queryable,
  { after, upto }: NewMessages,
  messagesMax: number,
): Promise<LookedAt> {
  const { rows } = await db.query<LookedAt>({
    name: 'store-look-at-messages',
    text: `WITH messages_now AS MATERIALIZED (
        SELECT ${messageColumns} FROM messages m WHERE m.id > $1 AND m.id <= $2 ORDER BY m.id LIMIT $3
      ), recent AS MATERIALIZED (
        SELECT m.* FROM messages_now m WHERE ${isRecentSql}
      ), ${toldSql('recent')}, counted AS MATERIALIZED (
        SELECT m.id, (SELECT count(*) FROM (SELECT 1 FROM (${concernedSql}) c LIMIT ${concernedCountMax}) few) AS concerned FROM recent m
      )
      SELECT (SELECT coalesce(max(m.id), $2) FROM messages_now m) AS upto,
        coalesce((SELECT json_agg(json_build_object('id', c.id, 'concerned', c.concerned) ORDER BY c.id) FROM counted c WHERE c.concerned > 0),
          '[]') AS concerning`,
    values: [after, upto, messagesMax],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returned no row');
  return row;
}

/**
 * Notes that messages were looked at. Message ids are given in commit order, so none appears below.
 *
 * @returns false if another process has looked at them
 */
export async function moveToldUpto(db: Queryable, { after, upto }: NewMessages): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-move-told-upto',
    text: 'UPDATE told_upto SET message_id = $2 WHERE message_id = $1',
    values: [after, upto],
  });
  return rowCount === 1;
}

type BooleanSetting = {
  [Name in keyof UserSettings]: UserSettings[Name] extends boolean ? Name : never;
}[keyof UserSettings];

/** A setting of `u`, or its default. */
function settingSql(name: BooleanSetting): string {
  return `coalesce((u.settings ->> '${name}')::boolean, ${userSettingDefaults[name]})`;
}

/**
 * Which channels notified `u` of `m` before edits mentioned the person: what `notificationsFor` says without those mentions, by the settings of
 * today. A stronger reason does not notify again.
 */
const owedBeforeSql = `SELECT NOT b.is_muted AND (b.by_wildcard OR b.by_mail_of_stream) AS by_mail,
    NOT b.is_muted AND (b.by_wildcard OR b.by_push_of_stream) AS by_push
  FROM (SELECT coalesce(s.is_muted, false) OR EXISTS (SELECT 1 FROM conversations v
        JOIN muted_topics t ON t.user_id = u.id AND t.stream_id = v.stream_id AND t.topic_folded = v.topic_folded
        WHERE v.id = m.conversation_id) AS is_muted,
      m.told_all AND coalesce(s.wildcard_mentions_notify, ${settingSql('wildcard_mentions_notify')}) AS by_wildcard,
      s.user_id IS NOT NULL AND coalesce(s.email_notifications, ${settingSql('enable_stream_email_notifications')}) AS by_mail_of_stream,
      s.user_id IS NOT NULL AND coalesce(s.push_notifications, ${settingSql('enable_stream_push_notifications')}) AS by_push_of_stream
    FROM (SELECT 1) one LEFT JOIN subscriptions s ON s.user_id = u.id AND s.stream_id = m.stream_id AND s.is_active) b`;

/**
 * Writes candidates: for mails those who want any, for pushes those who subscribed somewhere. All transactions lock subscriptions, and
 * write rows, in one order; subscriptions first, as a release does.
 *
 * @param of.concerning the messages `m` with the ids $1, and what else the statement needs
 * @param of.concerned the people of `m`
 * @param of.owedBefore who of them, as `u`, was to be notified already
 * @param of.since from when a mail waits
 * @param of.mailConflict what becomes of rows that are there
 * @param of.pushConflict the same
 */
function writeText(of: {
  readonly concerning: string;
  readonly concerned: string;
  readonly owedBefore: string;
  readonly since: string;
  readonly mailConflict: string;
  readonly pushConflict: string;
}): string {
  return `WITH ${of.concerning}, people AS MATERIALIZED (
      SELECT m.id AS message_id, ${of.since} AS since, u.* FROM concerning m
      CROSS JOIN LATERAL (${of.concerned}) c
      CROSS JOIN LATERAL (SELECT u.id AS user_id, ${settingSql('enable_offline_email_notifications')} AND NOT before.by_mail AS by_mail,
          (${settingSql('enable_offline_push_notifications')} OR ${settingSql('enable_online_push_notifications')}) AND NOT before.by_push AS by_push,
          coalesce((u.settings ->> 'email_notifications_batching_period_seconds')::integer, $3) AS delay_secs
        FROM users u CROSS JOIN LATERAL (${of.owedBefore}) before
        WHERE u.id = c.user_id AND u.id <> m.sender_id AND u.is_active AND u.bot_type IS NULL AND NOT u.is_system OFFSET 0) u
    ), devices AS MATERIALIZED (
      SELECT s.id, p.message_id FROM people p JOIN push_subscriptions s ON s.user_id = p.user_id
      WHERE p.by_push ORDER BY s.id, p.message_id FOR NO KEY UPDATE OF s
    ), to_push AS (
      INSERT INTO messages_to_push AS t (subscription_id, message_id) SELECT d.id, d.message_id FROM devices d
      ON CONFLICT (subscription_id, message_id) ${of.pushConflict} RETURNING subscription_id
    ), to_mail AS (
      INSERT INTO messages_to_mail (user_id, message_id, due_at)
      SELECT p.user_id, p.message_id, p.since + make_interval(secs => p.delay_secs) FROM people p WHERE $2 AND p.by_mail
      ORDER BY p.user_id, p.message_id
      ON CONFLICT (user_id, message_id) ${of.mailConflict} RETURNING 1
    )
    SELECT (SELECT count(*) FROM to_push) AS "toPush", (SELECT count(*) FROM to_mail) AS "toMail",
      ARRAY(SELECT DISTINCT t.subscription_id FROM to_push t) AS "subscriptionIds"`;
}

const writeStatements = {
  messages: {
    name: 'store-write-candidates',
    text: writeText({
      concerning: `concerning AS MATERIALIZED (
        SELECT m.* FROM unnest($1::bigint[]) d (id) CROSS JOIN LATERAL (SELECT ${messageColumns} FROM messages m WHERE m.id = d.id OFFSET 0) m
      ), ${toldSql('concerning')}`,
      concerned: concernedSql,
      owedBefore: 'SELECT false AS by_mail, false AS by_push',
      since: 'm.sent_at',
      mailConflict: 'DO NOTHING',
      pushConflict: 'DO NOTHING',
    }),
  },
  additions: {
    name: 'store-write-candidates-of-additions',
    text: writeText({
      concerning: `concerning AS MATERIALIZED (
        SELECT m.*, a.told_all, a.told_ids FROM mentions_added a CROSS JOIN LATERAL (
          SELECT m.id, m.sender_id, m.stream_id, m.conversation_id, m.group_mentioned_ids,
            m.mentions_wildcard AND NOT a.told_all AS mentions_wildcard
          FROM messages m WHERE m.id = a.message_id OFFSET 0) m
        WHERE a.message_id = ANY ($1::bigint[])
      )`,
      concerned: `(${mentionedSql}) EXCEPT SELECT unnest(m.told_ids)`,
      owedBefore: owedBeforeSql,
      since: 'parley_now()',
      // Somebody may be deciding about a row by what the message was before, so it is written anew: see `ReadCandidate`.
      mailConflict: 'DO UPDATE SET due_at = excluded.due_at',
      pushConflict: 'DO UPDATE SET pushed_at = NULL WHERE t.pushed_at IS NULL',
    }),
  },
};

/**
 * Writes the candidates of messages in the caller's transaction. What is pushed is due at once.
 *
 * @param of new messages, or the mentions that edits added to old ones, of which the caller has claimed the rows (`claimAddedMentions`)
 * @returns how many there are
 */
export async function writeCandidates(
  client: Client,
  of: keyof typeof writeStatements,
  messageIds: readonly number[],
  by: EnabledChannels,
): Promise<number> {
  const { rows } = await client.query<{
    toMail: number;
    toPush: number;
    subscriptionIds: number[];
  }>({
    ...writeStatements[of],
    values: [messageIds, by.mail, userSettingDefaults.email_notifications_batching_period_seconds],
  });
  const { toMail = 0, toPush = 0, subscriptionIds = [] } = rows[0] ?? {};
  await wakePushSubscriptions(client, subscriptionIds);
  return toMail + toPush;
}

/**
 * Notes that an edit mentions people whom the message did not mention, unless nobody is notified of it any longer. Who takes part in a
 * private conversation was notified already. The caller holds the lock of the message, and changes its mentions afterwards.
 *
 * @param mentions those of the new text; `userIds` by name or in a group
 */
export async function noteAddedMentions(
  client: Client,
  messageId: number,
  mentions: { readonly userIds: readonly number[]; readonly wildcard: boolean },
): Promise<void> {
  await client.query({
    name: 'store-note-added-mentions',
    // A row that is there is locked, so that whoever claims it waits for this edit or leaves it for later.
    text: `INSERT INTO mentions_added AS a (message_id, told_all, told_ids)
      SELECT m.id, m.mentions_wildcard, told.ids FROM messages m CROSS JOIN LATERAL (SELECT coalesce(m.group_mentioned_ids, '{}')
        || ARRAY(SELECT f.user_id FROM message_flags f WHERE f.message_id = m.id AND (f.set_bits & ${flagBits.mentioned}) <> 0) AS ids OFFSET 0) told
      WHERE m.id = $1::bigint AND m.stream_id IS NOT NULL AND ${isRecentSql}
        AND ($3 AND NOT m.mentions_wildcard OR EXISTS (SELECT unnest($2::integer[]) EXCEPT SELECT unnest(told.ids)))
      ON CONFLICT (message_id) DO UPDATE SET told_all = a.told_all`,
    values: [messageId, mentions.userIds, mentions.wildcard],
  });
}

/**
 * Claims a message with added mentions in the caller's transaction, which ends with `forgetAddedMentions`. What it mentions now is read by a
 * later statement, which sees the edits that this one waited for.
 *
 * @returns undefined if there is none, or edits and other processes have all
 */
export async function claimAddedMentions(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>({
    name: 'store-claim-added-mentions',
    text: 'SELECT message_id AS id FROM mentions_added ORDER BY message_id LIMIT 1 FOR UPDATE SKIP LOCKED',
  });
  return rows[0]?.id;
}

/** Forgets added mentions that are candidates, or of which nobody is notified. */
export async function forgetAddedMentions(client: Client, messageId: number): Promise<void> {
  await client.query({
    name: 'store-forget-added-mentions',
    text: 'DELETE FROM mentions_added WHERE message_id = $1',
    values: [messageId],
  });
}
