/** Accounts, streams and memberships as an import writes them, beyond what new ones have (part of the modules that own these tables). */
import { foldName } from '@parley/api';
import type { Client } from '@parley/database';

/** The state of an account that `createUsers` has created. */
export type ImportedAccount = {
  readonly id: number;
  readonly is_active: boolean;
  /** Unix time; null if unknown. */
  readonly joined_at: number | null;
};

/** Gives accounts their state from the beginning of the log on. */
export async function setImportedAccounts(
  client: Client,
  accounts: readonly ImportedAccount[],
): Promise<void> {
  await client.query({
    text: `WITH given AS (
        SELECT * FROM json_to_recordset($1::json) g (id integer, is_active boolean, joined_at double precision)
      ), periods AS (
        UPDATE account_periods p SET is_active = g.is_active FROM given g WHERE p.user_id = g.id
      )
      UPDATE users u SET is_active = g.is_active, date_joined = coalesce(to_timestamp(g.joined_at), u.date_joined)
      FROM given g WHERE u.id = g.id`,
    values: [JSON.stringify(accounts)],
  });
}

/** The state of a stream that `createStreams` has created. */
export type ImportedStream = {
  readonly id: number;
  readonly is_deactivated: boolean;
  /** Unix time; null if unknown. */
  readonly created_at: number | null;
};

export async function setImportedStreams(
  client: Client,
  streams: readonly ImportedStream[],
): Promise<void> {
  await client.query({
    text: `UPDATE streams s SET is_deactivated = g.is_deactivated, created_at = coalesce(to_timestamp(g.created_at), s.created_at)
      FROM json_to_recordset($1::json) g (id integer, is_deactivated boolean, created_at double precision) WHERE s.id = g.id`,
    values: [JSON.stringify(streams)],
  });
}

/** A subscription with its settings; null inherits the person's. */
export type ImportedSubscription = {
  readonly user_id: number;
  readonly stream_id: number;
  readonly is_active: boolean;
  readonly color: string;
  readonly is_muted: boolean;
  readonly pin_to_top: boolean;
  readonly desktop_notifications: boolean | null;
  readonly audible_notifications: boolean | null;
  readonly push_notifications: boolean | null;
  readonly email_notifications: boolean | null;
  readonly wildcard_mentions_notify: boolean | null;
};

export async function insertImportedSubscriptions(
  client: Client,
  subscriptions: readonly ImportedSubscription[],
): Promise<void> {
  await client.query({
    name: 'imports-subscriptions',
    text: 'INSERT INTO subscriptions SELECT * FROM json_populate_recordset(NULL::subscriptions, $1::json)',
    values: [JSON.stringify(subscriptions)],
  });
}

export type ImportedMutedTopic = {
  readonly userId: number;
  readonly streamId: number;
  readonly topic: string;
  /** Unix time; null for now. */
  readonly mutedAt: number | null;
};

export async function insertImportedMutedTopics(
  client: Client,
  topics: readonly ImportedMutedTopic[],
): Promise<number> {
  if (topics.length === 0) return 0;
  const { rowCount } = await client.query({
    text: `INSERT INTO muted_topics (user_id, stream_id, topic_folded, topic, muted_at)
      SELECT t.user_id, t.stream_id, t.folded, t.topic, coalesce(to_timestamp(t.at), parley_now() + t.n * interval '1 microsecond')
      FROM unnest($1::integer[], $2::integer[], $3::text[], $4::text[], $5::double precision[]) WITH ORDINALITY
        t (user_id, stream_id, folded, topic, at, n)
      ON CONFLICT DO NOTHING`,
    values: [
      topics.map(({ userId }) => userId),
      topics.map(({ streamId }) => streamId),
      topics.map(({ topic }) => foldName(topic)),
      topics.map(({ topic }) => topic),
      topics.map(({ mutedAt }) => mutedAt),
    ],
  });
  return rowCount ?? 0;
}

/** A custom emoji whose picture is stored under its id. */
export type ImportedEmoji = {
  readonly id: number;
  readonly name: string;
  readonly authorId: number | null;
  readonly fileName: string;
  readonly isDeactivated: boolean;
};

export async function insertImportedEmoji(client: Client, emoji: ImportedEmoji): Promise<void> {
  await client.query({
    text: 'INSERT INTO realm_emoji (id, name, author_id, file_name, is_deactivated) VALUES ($1, $2, $3, $4, $5)',
    values: [emoji.id, emoji.name, emoji.authorId, emoji.fileName, emoji.isDeactivated],
  });
}

/** An uploaded file that is stored already. */
export type ImportedUpload = {
  readonly path_id: string;
  readonly owner_id: number;
  readonly file_name: string;
  readonly content_type: string;
  readonly size_bytes: number;
  /** Unix time. */
  readonly created_at: number;
};

export async function insertImportedUploads(
  client: Client,
  uploads: readonly ImportedUpload[],
): Promise<void> {
  if (uploads.length === 0) return;
  await client.query({
    text: `INSERT INTO uploads (path_id, owner_id, file_name, content_type, size_bytes, created_at)
      SELECT path_id, owner_id, file_name, content_type, size_bytes, to_timestamp(created_at)
      FROM json_to_recordset($1::json) u (path_id text, owner_id integer, file_name text, content_type text, size_bytes bigint,
        created_at double precision)`,
    values: [JSON.stringify(uploads)],
  });
  await client.query({
    text: 'UPDATE upload_space SET used_bytes = used_bytes + $1',
    values: [uploads.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0)],
  });
}

/** Draws the id of a change and places it after a message, or at the beginning of the log. */
export async function addImportedChange(
  client: Client,
  place: { readonly position: number; readonly messageId: number },
): Promise<number> {
  const { rows } = await client.query<{ id: number }>({
    text: `INSERT INTO changes (id, position, message_id) VALUES (nextval('change_ids'), $1, $2) RETURNING id`,
    values: [place.position, place.messageId],
  });
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('the insertion of a change returned no row');
  return id;
}
