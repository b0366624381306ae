import { foldName, roles } from '@parley/api';
import type { Queryable } from '@parley/database';

import type { SubscriptionSettings } from './subscription-settings.ts';
import { knowsOfStreamSql } from '../visibility/visibility-sql.ts';

/**
 * Subscriptions and memberships (owner of `subscriptions` and `membership_periods`).
 *
 * `subscriptions.is_active` means that the person wants the stream. It outlives the account's deactivation and takes effect again with its
 * reactivation. An open membership period means that the person is a member now; it exists exactly while the subscription and the account
 * are active. So code that counts, lists or checks members reads open periods. A period of the backlog (`is_backlog`) lies before the
 * account joined: it lets the account hold messages but was not a membership.
 *
 * Every function that changes memberships is called with the accounts and then the streams locked (`lockUsersInUse`, `lockStreams`), and
 * with the id of the change in the transaction's log entry.
 */

/** Reference facts, streams 6.5, in order. */
export const streamColors: readonly string[] = [
  '#76ce90',
  '#fae589',
  '#a6c7e5',
  '#e79ab5',
  '#bfd56f',
  '#f4ae55',
  '#b0a5fd',
  '#addfe5',
  '#f5ce6e',
  '#c2726a',
  '#94c849',
  '#bd86e5',
  '#ee7e4a',
  '#a6dcbf',
  '#95a5fd',
  '#53a063',
  '#9987e1',
  '#e4523d',
  '#c2c2c2',
  '#4f8de4',
  '#c6a8ad',
  '#e7cc4d',
  '#c8bebf',
  '#a47462',
];

/** A person who has just become a member. */
export type NewMember = SubscriptionSettings & { readonly userId: number };

const settingColumns = `color, is_muted AS "isMuted", pin_to_top AS "pinToTop",
  desktop_notifications AS "desktopNotifications", audible_notifications AS "audibleNotifications",
  push_notifications AS "pushNotifications", email_notifications AS "emailNotifications",
  wildcard_mentions_notify AS "wildcardMentionsNotify"`;

/** Nulls are replaced by the person's own defaults, which are false unless set (reference facts, streams 6.3). */
const resolvedSettingColumns = ['desktop', 'audible', 'push', 'email']
  .map(
    (
      kind,
    ) => `coalesce(m."${kind}Notifications", (u.settings ->> 'enable_stream_${kind}_notifications')::boolean, false)
      AS "${kind}Notifications"`,
  )
  .join(', ');

/** The most pairs that one statement changes, so that neither its time nor its memory grows with a request. */
const pairsPerStatement = 5_000;

/** @returns the users in pieces such that each, with this many streams, makes one statement's share of pairs; a user is never split */
function inPieces(userIds: readonly number[], streams: number): number[][] {
  const size = Math.max(1, Math.floor(pairsPerStatement / Math.max(1, streams)));
  const distinct = [...new Set(userIds)].toSorted((a, b) => a - b);
  return Array.from({ length: Math.ceil(distinct.length / size) }, (_, n) =>
    distinct.slice(n * size, (n + 1) * size),
  );
}

export type StreamToJoin = {
  readonly streamId: number;
  /** For new records. */
  readonly color?: string | undefined;
};

/** A person who has just become a member of a stream. */
export type NewMembership = NewMember & { readonly streamId: number };

type KnownRecord = {
  readonly userId: number;
  readonly streamId: number;
  readonly isActive: boolean;
  readonly color: string;
};

type UsedColors = {
  readonly userId: number;
  /** Colours of the palette. */
  readonly colors: string[];
  readonly streams: number;
};

/** @returns a colour for each stream that the person will join, by id; streams that the person is already in are excluded */
function colorsFor(
  streams: readonly StreamToJoin[],
  records: ReadonlyMap<number, KnownRecord>,
  used: UsedColors | undefined,
): Map<number, string> {
  const taken = new Set(used?.colors);
  let count = used?.streams ?? 0;
  const chosen = new Map<number, string>();
  for (const { streamId, color: wanted } of streams) {
    const record = records.get(streamId);
    if (record?.isActive === true) continue;
    const color =
      record?.color ??
      wanted ??
      streamColors.find((candidate) => !taken.has(candidate)) ??
      streamColors[count % streamColors.length] ??
      '';
    chosen.set(streamId, color);
    taken.add(color);
    count += 1;
  }
  return chosen;
}

async function choosePairs(
  db: Queryable,
  userIds: readonly number[],
  streams: readonly StreamToJoin[],
): Promise<{ userIds: number[]; streamIds: number[]; colors: string[] }> {
  const records = await db.query<KnownRecord>({
    name: 'store-subscription-records',
    text: `SELECT user_id AS "userId", stream_id AS "streamId", is_active AS "isActive", color FROM subscriptions
      WHERE user_id = ANY ($1::int[]) AND stream_id = ANY ($2::int[])`,
    values: [userIds, streams.map(({ streamId }) => streamId)],
  });
  const used = await db.query<UsedColors>({
    name: 'store-used-colors',
    text: `SELECT user_id AS "userId", count(*)::int AS streams,
        coalesce(array_agg(DISTINCT color) FILTER (WHERE color = ANY ($2::text[])), '{}') AS colors
      FROM subscriptions WHERE user_id = ANY ($1::int[]) AND is_active GROUP BY user_id`,
    values: [userIds, streamColors],
  });
  const usedByUser = new Map(used.rows.map((row) => [row.userId, row]));
  const recordsByUser = Map.groupBy(records.rows, (record) => record.userId);
  const pairs = { userIds: [] as number[], streamIds: [] as number[], colors: [] as string[] };
  for (const userId of userIds) {
    const known = new Map(
      (recordsByUser.get(userId) ?? []).map((record) => [record.streamId, record]),
    );
    for (const [streamId, color] of colorsFor(streams, known, usedByUser.get(userId))) {
      pairs.userIds.push(userId);
      pairs.streamIds.push(streamId);
      pairs.colors.push(color);
    }
  }
  return pairs;
}

/**
 * Subscribes accounts to streams, in a few statements for any number. Existing subscriptions stay unchanged. An earlier record keeps its
 * colour and settings. A new one gets the requested colour, or the first of the palette that none of the person's active subscriptions has,
 * including those added before it here (reference facts, streams 5.1 and 6.5).
 *
 * @param userIds active accounts
 * @param streams each once, in the order in which they get colours
 * @returns the new memberships by user and stream, with notification settings as booleans (reference facts, events 3.1)
 */
export async function subscribeToStreams(
  db: Queryable,
  request: {
    readonly userIds: readonly number[];
    readonly streams: readonly StreamToJoin[];
    readonly changeId: number;
  },
): Promise<NewMembership[]> {
  const joined: NewMembership[] = [];
  for (const userIds of inPieces(request.userIds, request.streams.length)) {
    const pairs = await choosePairs(db, userIds, request.streams);
    if (pairs.userIds.length === 0) continue;
    const { rows } = await db.query<NewMembership>({
      name: 'store-subscribe',
      text: `WITH joined AS (
          INSERT INTO subscriptions (user_id, stream_id, is_active, color)
          SELECT w.user_id, w.stream_id, true, w.color FROM unnest($1::int[], $2::int[], $3::text[]) w (user_id, stream_id, color)
          ON CONFLICT (user_id, stream_id) DO UPDATE SET is_active = true WHERE NOT subscriptions.is_active
          RETURNING user_id AS "userId", stream_id AS "streamId", ${settingColumns}
        ), opened AS (
          INSERT INTO membership_periods (user_id, stream_id, from_change_id) SELECT "userId", "streamId", $4 FROM joined
        )
        SELECT m."userId", m."streamId", m.color, m."isMuted", m."pinToTop", ${resolvedSettingColumns}, m."wildcardMentionsNotify"
        FROM joined m JOIN users u ON u.id = m."userId" ORDER BY m."userId", m."streamId"`,
      values: [pairs.userIds, pairs.streamIds, pairs.colors, request.changeId],
    });
    for (const row of rows) joined.push(row);
  }
  return joined;
}

/**
 * Subscribes accounts to one stream. See `subscribeToStreams`.
 *
 * @returns the new members by ascending user id
 */
export async function subscribe(
  db: Queryable,
  request: {
    readonly userIds: readonly number[];
    readonly streamId: number;
    readonly color?: string | undefined;
    readonly changeId: number;
  },
): Promise<NewMembership[]> {
  const { userIds, streamId, color, changeId } = request;
  return subscribeToStreams(db, { userIds, streams: [{ streamId, color }], changeId });
}

export type Membership = { readonly userId: number; readonly streamId: number };

/**
 * Lets a new account hold the messages of streams from before it joined them.
 *
 * @param fromChangeId the place in the log from which on it holds messages; see `EventLog.addChangeBefore`
 * @param joinChangeId the change at which it joins the streams, whose later messages it holds as a member
 */
export async function openBacklog(
  db: Queryable,
  backlog: {
    readonly userId: number;
    readonly streamIds: readonly number[];
    readonly fromChangeId: number;
    readonly joinChangeId: number;
  },
): Promise<void> {
  await db.query({
    name: 'store-open-backlog',
    text: `INSERT INTO membership_periods (user_id, stream_id, from_change_id, until_change_id, is_backlog)
      SELECT $1, s, $3, $4, true FROM unnest($2::int[]) s`,
    values: [backlog.userId, backlog.streamIds, backlog.fromChangeId, backlog.joinChangeId],
  });
}

/**
 * Unsubscribes accounts from streams, in a few statements for any number.
 *
 * @returns the memberships that ended, by user and stream
 */
export async function unsubscribe(
  db: Queryable,
  request: {
    readonly userIds: readonly number[];
    readonly streamIds: readonly number[];
    readonly changeId: number;
  },
): Promise<Membership[]> {
  const left: Membership[] = [];
  for (const userIds of inPieces(request.userIds, request.streamIds.length)) {
    const { rows } = await db.query<Membership>({
      name: 'store-unsubscribe',
      text: `WITH left_now AS (
          UPDATE subscriptions SET is_active = false
          WHERE user_id = ANY ($1::int[]) AND stream_id = ANY ($2::int[]) AND is_active RETURNING user_id, stream_id
        ), closed AS (
          UPDATE membership_periods p SET until_change_id = $3 FROM left_now l
          WHERE p.stream_id = l.stream_id AND p.user_id = l.user_id AND p.until_change_id IS NULL
        )
        SELECT user_id AS "userId", stream_id AS "streamId" FROM left_now ORDER BY user_id, stream_id`,
      values: [userIds, request.streamIds, request.changeId],
    });
    for (const row of rows) left.push(row);
  }
  return left;
}

/** Ends all subscriptions of streams that are being deactivated, including those of deactivated accounts. */
export async function closeStreamMemberships(
  db: Queryable,
  streamIds: readonly number[],
  changeId: number,
): Promise<void> {
  await db.query({
    text: 'UPDATE subscriptions SET is_active = false WHERE stream_id = ANY ($1::int[]) AND is_active',
    values: [streamIds],
  });
  await db.query({
    text: `UPDATE membership_periods SET until_change_id = $2
      WHERE stream_id = ANY ($1::int[]) AND until_change_id IS NULL`,
    values: [streamIds, changeId],
  });
}

/** @returns those of the streams whose members are all guests, or that have none because all are deactivated */
export async function findAbandonedStreams(
  db: Queryable,
  streamIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-abandoned-streams',
    text: `SELECT s AS id FROM unnest($1::int[]) s WHERE NOT EXISTS (
      SELECT 1 FROM membership_periods p JOIN users u ON u.id = p.user_id AND u.role <> '${roles.guest}'
      WHERE p.stream_id = s AND p.until_change_id IS NULL)`,
    values: [streamIds],
  });
  return new Set(rows.map(({ id }) => id));
}

/** @returns everybody who is or was a member of the stream */
export async function listEverMembers(db: Queryable, streamId: number): Promise<number[]> {
  const { rows } = await db.query<{ userId: number }>({
    name: 'store-ever-members',
    text: 'SELECT DISTINCT user_id AS "userId" FROM membership_periods WHERE stream_id = $1',
    values: [streamId],
  });
  return rows.map((row) => row.userId);
}

/**
 * Closes the periods of accounts that are being deactivated; their subscriptions stay stored.
 *
 * @returns the memberships that ended, by stream and user
 */
export async function closeAccountMemberships(
  db: Queryable,
  userIds: readonly number[],
  changeId: number,
): Promise<Membership[]> {
  const { rows } = await db.query<Membership>({
    text: `WITH closed AS (
        UPDATE membership_periods SET until_change_id = $2 WHERE user_id = ANY ($1::int[]) AND until_change_id IS NULL
        RETURNING user_id, stream_id
      ) SELECT user_id AS "userId", stream_id AS "streamId" FROM closed ORDER BY stream_id, user_id`,
    values: [userIds, changeId],
  });
  return rows;
}

/**
 * Opens periods for the stored subscriptions of an account that is being reactivated.
 *
 * @returns the new memberships, by stream
 */
export async function openAccountMemberships(
  db: Queryable,
  userId: number,
  changeId: number,
): Promise<Membership[]> {
  const { rows } = await db.query<Membership>({
    text: `WITH opened AS (
        INSERT INTO membership_periods (user_id, stream_id, from_change_id)
        SELECT m.user_id, m.stream_id, $2 FROM subscriptions m WHERE m.user_id = $1 AND m.is_active
        ON CONFLICT DO NOTHING RETURNING user_id, stream_id
      ) SELECT user_id AS "userId", stream_id AS "streamId" FROM opened ORDER BY stream_id`,
    values: [userId, changeId],
  });
  return rows;
}

/**
 * @returns the ids of the streams, ascending, with active subscriptions of these accounts: a change of the accounts' activity locks them
 */
export async function subscribedStreamIds(
  db: Queryable,
  userIds: readonly number[],
): Promise<number[]> {
  const { rows } = await db.query<{ streamId: number }>({
    name: 'store-subscribed-stream-ids',
    text: `SELECT DISTINCT stream_id AS "streamId" FROM subscriptions WHERE user_id = ANY ($1::int[]) AND is_active
      ORDER BY stream_id`,
    values: [userIds],
  });
  return rows.map((row) => row.streamId);
}

/** @returns the streams among the given ones that have the account as a member now */
export async function findMemberships(
  db: Queryable,
  userId: number,
  streamIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ streamId: number }>({
    name: 'store-find-memberships',
    text: `SELECT stream_id AS "streamId" FROM membership_periods
      WHERE stream_id = ANY ($2::bigint[]) AND user_id = $1 AND until_change_id IS NULL`,
    values: [userId, streamIds],
  });
  return new Set(rows.map((row) => row.streamId));
}

/** @returns whether a user may learn that a stream with this id exists or existed */
export async function knowsOfStream(
  db: Queryable,
  userId: number,
  streamId: number,
): Promise<boolean> {
  const { rows } = await db.query<{ knows: boolean }>({
    name: 'store-knows-of-stream',
    text: `SELECT ${knowsOfStreamSql('s', 'u')} AS knows FROM streams s, users u WHERE s.id = $2 AND u.id = $1`,
    values: [userId, streamId],
  });
  return rows[0]?.knows ?? false;
}

/**
 * Finds a stream in one statement, so that the cost of a hidden stream is that of one that does not exist. A deactivated one is found too,
 * under the name that it has since: its messages are kept (reference facts, streams 8.2).
 *
 * @param which a stream's id, or its trimmed name in any letter case
 * @returns its id; undefined if it does not exist, or if the user may not learn that it exists or existed
 */
export async function findKnownStreamId(
  db: Queryable,
  userId: number,
  which: { readonly streamId: number } | { readonly name: string },
): Promise<number | undefined> {
  const byName = 'name' in which;
  const { rows } = await db.query<{ id: number }>({
    name: byName ? 'store-find-known-stream-by-name' : 'store-find-known-stream-by-id',
    text: `SELECT s.id FROM streams s, users u
      WHERE ${byName ? 's.name_folded = $2' : 's.id = $2::bigint'} AND u.id = $1 AND ${knowsOfStreamSql('s', 'u')}`,
    values: [userId, byName ? foldName(which.name) : which.streamId],
  });
  return rows[0]?.id;
}

/** @returns whether the account is a member of the stream now */
export async function isMember(db: Queryable, userId: number, streamId: number): Promise<boolean> {
  return (await findMemberships(db, userId, [streamId])).has(streamId);
}

/** @returns the streams among the given ones that have at least one member now */
export async function findOccupiedStreams(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await db.query<{ streamId: number }>({
    text: `SELECT s.id AS "streamId" FROM unnest($1::int[]) s (id)
      WHERE EXISTS (SELECT 1 FROM membership_periods p WHERE p.stream_id = s.id AND p.until_change_id IS NULL)`,
    values: [streamIds],
  });
  return new Set(rows.map((row) => row.streamId));
}

/** @returns the current members of each stream, ascending user ids; streams without members are absent */
export async function listMembers(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await db.query<{ streamId: number; userIds: number[] }>({
    name: 'store-list-members',
    text: `SELECT stream_id AS "streamId", array_agg(user_id ORDER BY user_id) AS "userIds" FROM membership_periods
      WHERE stream_id = ANY ($1::int[]) AND until_change_id IS NULL GROUP BY stream_id`,
    values: [streamIds],
  });
  return new Map(rows.map((row) => [row.streamId, row.userIds]));
}

/**
 * Two snapshots of one database with the same version of a stream find the same members: changes of its memberships write its version one
 * after the other, and the version is the transaction that did so last (see `readRowVersions`).
 *
 * @param db of a REPEATABLE READ transaction
 * @returns by stream id; streams that never had a member are absent
 */
export async function readMemberVersions(db: Queryable): Promise<Readonly<Record<number, string>>> {
  const { rows } = await db.query<{ versions: Record<number, string> | null }>({
    name: 'store-read-member-versions',
    text: 'SELECT json_object_agg(v.stream_id, v.xmin::text) AS versions FROM stream_member_versions v',
  });
  return rows[0]?.versions ?? {};
}

/** @returns for each stream the ids of its current members as JSON text, ascending */
export async function listMemberTexts(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await db.query<{ streamId: number; members: string }>({
    name: 'store-list-member-texts',
    text: `SELECT w.id AS "streamId", array_to_json(ARRAY(SELECT p.user_id FROM membership_periods p
        WHERE p.stream_id = w.id AND p.until_change_id IS NULL ORDER BY p.user_id))::text AS members
      FROM unnest($1::int[]) w (id)`,
    values: [streamIds],
  });
  return new Map(rows.map((row) => [row.streamId, row.members]));
}

/** @returns the addresses of the current members of each stream, sorted; streams without members are absent */
export async function listMemberEmails(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Map<number, string[]>> {
  const { rows } = await db.query<{ streamId: number; emails: string[] }>({
    name: 'store-list-member-emails',
    text: `SELECT p.stream_id AS "streamId", array_agg(u.email ORDER BY u.email COLLATE "C") AS emails
      FROM membership_periods p JOIN users u ON u.id = p.user_id
      WHERE p.stream_id = ANY ($1::int[]) AND p.until_change_id IS NULL GROUP BY p.stream_id`,
    values: [streamIds],
  });
  return new Map(rows.map((row) => [row.streamId, row.emails]));
}

/** @returns the members of the stream as of a log position, with the entry at that position applied; ascending */
export async function membersAsOf(
  db: Queryable,
  streamId: number,
  position: number,
): Promise<number[]> {
  const { rows } = await db.query<{ userIds: number[] }>({
    name: 'store-members-as-of',
    text: `SELECT coalesce(array_agg(p.user_id ORDER BY p.user_id), '{}') AS "userIds"
      FROM membership_periods p JOIN changes f ON f.id = p.from_change_id LEFT JOIN changes t ON t.id = p.until_change_id
      WHERE p.stream_id = $1 AND f.position <= $2 AND (p.until_change_id IS NULL OR t.position > $2) AND NOT p.is_backlog`,
    values: [streamId, position],
  });
  return rows[0]?.userIds ?? [];
}

/**
 * A membership in positions and message ids: it holds messages above `fromMessageId` up to and including `untilMessageId`, and entries from
 * position `fromPosition` up to but not including `untilPosition`. Null means no end.
 */
export type MembershipPeriod = {
  readonly userId: number;
  readonly streamId: number;
  readonly fromPosition: number;
  readonly fromMessageId: number;
  readonly untilPosition: number | null;
  readonly untilMessageId: number | null;
};

/** @returns all membership periods of the users, by user, stream and position */
export async function membershipPeriodsOf(
  db: Queryable,
  userIds: readonly number[],
): Promise<MembershipPeriod[]> {
  const { rows } = await db.query<MembershipPeriod>({
    name: 'store-membership-periods-of',
    text: `SELECT p.user_id AS "userId", p.stream_id AS "streamId", f.position AS "fromPosition",
        f.message_id AS "fromMessageId", t.position AS "untilPosition", t.message_id AS "untilMessageId"
      FROM membership_periods p JOIN changes f ON f.id = p.from_change_id LEFT JOIN changes t ON t.id = p.until_change_id
      WHERE p.user_id = ANY ($1::int[]) ORDER BY p.user_id, p.stream_id, f.position`,
    values: [userIds],
  });
  return rows;
}
