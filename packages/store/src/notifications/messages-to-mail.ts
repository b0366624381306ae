/**
 * Unread messages that may have to be mailed (owner of `messages_to_mail` and `told_upto`; decision 0053). A row is a candidate: whether the
 * person gets a mail is decided when it is due.
 */
import { userSettingDefaults } from '@parley/api/people';
import type { Client, Queryable } from '@parley/database';

import { flagBits } from '../messages/message-sql.ts';

/** A person and a message that may concern the person. */
export type Candidate = { readonly userId: number; readonly messageId: number };

/** Nobody is notified of messages that are older, in seconds: after an outage people read by themselves. */
export const notifiedMaxAgeSecs = 86_400;
/** Bounds how many rows one step writes, if many people want to be notified of everything. */
const messagesPerStep = 20;

/** A user's own setting of this name, or its default. */
function settingSql(name: string, byDefault: boolean): string {
  return `coalesce((u.settings ->> '${name}')::boolean, ${byDefault})`;
}

/** People who want to be notified of every message of a stream, or would be if the stream were not set otherwise. */
const ofEveryMessage = `SELECT s.user_id FROM subscriptions s
    WHERE s.stream_id = m.stream_id AND s.is_active AND (s.push_notifications OR s.email_notifications)
  UNION ALL SELECT s.user_id FROM users w JOIN subscriptions s ON s.user_id = w.id AND s.stream_id = m.stream_id AND s.is_active
    WHERE w.is_active AND ((w.settings ->> 'enable_stream_push_notifications')::boolean
      OR (w.settings ->> 'enable_stream_email_notifications')::boolean)`;

/**
 * Everybody whom `notificationsFor` can notify of `m` by push or mail: participants, the mentioned, and those who want every message. The
 * cost follows their number, not that of the subscribers.
 */
const candidatesSql = `SELECT unnest(c.participant_ids) AS user_id FROM conversations c
    WHERE m.stream_id IS NULL AND c.id = m.conversation_id
  UNION ALL SELECT f.user_id FROM message_flags f
    WHERE f.message_id = m.id AND (f.set_bits & ${flagBits.mentioned}) <> 0
  UNION ALL SELECT unnest(m.group_mentioned_ids)
  UNION ALL SELECT s.user_id FROM subscriptions s
    WHERE m.mentions_wildcard AND s.stream_id = m.stream_id AND s.is_active
  UNION ALL ${ofEveryMessage}`;

/** @returns undefined if another process is looking at new messages */
async function lockNotifiedUpto(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ messageId: number }>({
    name: 'store-lock-told-upto',
    text: 'SELECT message_id AS "messageId" FROM told_upto FOR UPDATE SKIP LOCKED',
  });
  return rows[0]?.messageId;
}

/** @returns whether there are messages that nobody has looked at yet; without a lock and a transaction */
export async function hasMessagesToLookAt(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>({
    name: 'store-has-messages-to-look-at',
    text: 'SELECT EXISTS (SELECT 1 FROM messages m WHERE m.id > (SELECT t.message_id FROM told_upto t)) AS has',
  });
  return rows[0]?.has === true;
}

/** @returns how many messages nobody has looked at yet */
export async function countMessagesToLookAt(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'store-count-messages-to-look-at',
    text: 'SELECT count(*) AS count FROM messages m WHERE m.id > (SELECT t.message_id FROM told_upto t)',
  });
  return rows[0]?.count ?? 0;
}

/** What besides Web Push candidates are written for. */
export type EnabledChannels = { readonly mail: boolean };

/** The people among the candidates of the messages above $1 up to $2: `u` and `m`. */
function peopleToNotifySql(join = ''): string {
  return `messages m CROSS JOIN LATERAL (${candidatesSql}) c ${join} JOIN users u ON u.id = c.user_id
      WHERE m.id > $1 AND m.id <= $2 AND m.sent_at > now() - make_interval(secs => ${notifiedMaxAgeSecs})
        AND u.id <> m.sender_id AND u.is_active AND u.bot_type IS NULL AND NOT u.is_system`;
}

/**
 * Looks at the next messages: writes their candidates and notes how far it came, in the caller's transaction. Message ids are given in commit
 * order, so none appears below.
 *
 * @returns how many candidates there are, and whether there may be more messages; undefined if another process is at it
 */
export async function takeCandidates(
  client: Client,
  by: EnabledChannels,
): Promise<{ readonly taken: number; readonly mayHaveMore: boolean } | undefined> {
  const after = await lockNotifiedUpto(client);
  if (after === undefined) return undefined;
  const { rows } = await client.query<{ id: number; mentionsWildcard: boolean }>({
    name: 'store-list-messages-to-look-at',
    text: `SELECT m.id, m.mentions_wildcard AS "mentionsWildcard" FROM messages m WHERE m.id > $1 ORDER BY m.id LIMIT ${messagesPerStep}`,
    values: [after],
  });
  // A mention of everybody is the last of its step.
  const wildcard = rows.findIndex(({ mentionsWildcard }) => mentionsWildcard);
  const looked = wildcard === -1 ? rows : rows.slice(0, wildcard + 1);
  const upto = looked.at(-1)?.id;
  if (upto === undefined) return { taken: 0, mayHaveMore: false };
  const toMail = by.mail ? await insertMailCandidates(client, after, upto) : 0;
  const taken = toMail + (await insertPushCandidates(client, after, upto));
  await client.query({
    name: 'store-move-told-upto',
    text: 'UPDATE told_upto SET message_id = $1',
    values: [upto],
  });
  const mayHaveMore = looked.length < rows.length || rows.length === messagesPerStep;
  return { taken, mayHaveMore };
}

/** Of those who subscribed somewhere. What is pushed is due at once. */
async function insertPushCandidates(client: Client, after: number, upto: number): Promise<number> {
  const { rows } = await client.query<{ subscriptionId: number }>({
    name: 'store-take-push-candidates',
    text: `INSERT INTO messages_to_push (subscription_id, message_id)
      SELECT DISTINCT p.id, m.id FROM ${peopleToNotifySql('JOIN push_subscriptions p ON p.user_id = c.user_id')}
        AND (${settingSql('enable_offline_push_notifications', true)} OR ${settingSql('enable_online_push_notifications', true)})
      ON CONFLICT DO NOTHING RETURNING subscription_id AS "subscriptionId"`,
    values: [after, upto],
  });
  if (rows.length === 0) return 0;
  // A statement of its own: it must see a release that the one above waited for.
  await client.query({
    name: 'store-wake-push-subscriptions',
    text: `UPDATE push_subscriptions SET due_at = now() WHERE id = ANY ($1::bigint[]) AND due_at > now() AND failures = 0`,
    values: [[...new Set(rows.map(({ subscriptionId }) => subscriptionId))]],
  });
  return rows.length;
}

async function insertMailCandidates(client: Client, after: number, upto: number): Promise<number> {
  const { rowCount } = await client.query({
    name: 'store-take-mail-candidates',
    text: `INSERT INTO messages_to_mail (user_id, message_id, due_at)
      SELECT DISTINCT u.id, m.id, m.sent_at + make_interval(secs => coalesce(
        (u.settings ->> 'email_notifications_batching_period_seconds')::integer, $3))
      FROM ${peopleToNotifySql()} AND ${settingSql('enable_offline_email_notifications', true)}
      ON CONFLICT DO NOTHING`,
    values: [after, upto, userSettingDefaults.email_notifications_batching_period_seconds],
  });
  return rowCount ?? 0;
}

/** The first of the two numbers of an advisory lock; the second is a person, about whom only one process decides at a time. */
const decidingLock = 53;

/**
 * Locks all candidates of people for whom one is due, so that what belongs together goes in one mail. People about whom another process is
 * deciding are left out. Of a person with very many those that are due come first, so that each step decides some of them.
 *
 * @returns with `isDue`; empty if nothing is due or other processes have all of it
 */
export async function lockDueMailCandidates(
  client: Client,
  { dueMax, candidatesMax }: { readonly dueMax: number; readonly candidatesMax: number },
): Promise<(Candidate & { readonly isDue: boolean })[]> {
  const { rows } = await client.query<Candidate & { readonly isDue: boolean }>({
    name: 'store-lock-due-mail-candidates',
    text: `WITH due AS MATERIALIZED (
        SELECT c.user_id FROM messages_to_mail c WHERE c.due_at <= now() ORDER BY c.due_at LIMIT $1 FOR UPDATE SKIP LOCKED
      ), mine AS MATERIALIZED (
        SELECT d.user_id FROM (SELECT DISTINCT due.user_id FROM due) d WHERE pg_try_advisory_xact_lock(${decidingLock}, d.user_id)
      )
      SELECT c.user_id AS "userId", c.message_id AS "messageId", c.due_at <= now() AS "isDue" FROM messages_to_mail c
      WHERE c.user_id IN (SELECT mine.user_id FROM mine) ORDER BY c.user_id, c.due_at > now(), c.message_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
    values: [dueMax, candidatesMax],
  });
  return rows;
}

function pairsOf(candidates: readonly Candidate[]): [number[], number[]] {
  return [candidates.map(({ userId }) => userId), candidates.map(({ messageId }) => messageId)];
}

/** Forgets candidates that are decided. */
export async function removeMailCandidates(
  db: Queryable,
  candidates: readonly Candidate[],
): Promise<void> {
  if (candidates.length === 0) return;
  await db.query({
    name: 'store-remove-mail-candidates',
    text: `DELETE FROM messages_to_mail c USING unnest($1::integer[], $2::bigint[]) d (user_id, message_id)
      WHERE c.user_id = d.user_id AND c.message_id = d.message_id`,
    values: pairsOf(candidates),
  });
}

/** Decides about candidates later. */
export async function postponeMailCandidates(
  db: Queryable,
  candidates: readonly (Candidate & { readonly delaySecs: number })[],
): Promise<void> {
  if (candidates.length === 0) return;
  await db.query({
    name: 'store-postpone-mail-candidates',
    text: `UPDATE messages_to_mail c SET due_at = now() + make_interval(secs => d.delay_secs)
      FROM unnest($1::integer[], $2::bigint[], $3::double precision[]) d (user_id, message_id, delay_secs)
      WHERE c.user_id = d.user_id AND c.message_id = d.message_id`,
    values: [...pairsOf(candidates), candidates.map(({ delaySecs }) => delaySecs)],
  });
}

/** Makes the messages of a mail that is withdrawn candidates again, due at once. */
export async function restoreMailCandidates(
  db: Queryable,
  candidates: readonly Candidate[],
): Promise<void> {
  await db.query({
    name: 'store-restore-mail-candidates',
    text: `INSERT INTO messages_to_mail (user_id, message_id, due_at)
      SELECT d.user_id, d.message_id, now() FROM unnest($1::integer[], $2::bigint[]) d (user_id, message_id) ON CONFLICT DO NOTHING`,
    values: pairsOf(candidates),
  });
}

/** @returns how many candidates wait */
export async function countMailCandidates(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>({
    name: 'store-count-mail-candidates',
    text: 'SELECT count(*) AS waiting FROM messages_to_mail',
  });
  return rows[0]?.waiting ?? 0;
}
