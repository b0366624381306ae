import { deleteKeptOfStream } from '../messages/kept-messages.ts';
import { randomBytes } from 'node:crypto';

import { foldName, limits } from '@parley/api';
import type { Queryable } from '@parley/database';

import {
  isPrivateSql,
  isPublicSql,
  mayReadStreamSql,
  memberStreamsSql,
} from '../visibility/visibility-sql.ts';

/**
 * Streams (owner of `streams`). A change to a stream that a message entry depends on locks the row first and increments its version, so
 * that a send that was checked against the older state is checked again.
 */

export type Stream = {
  readonly id: number;
  /** In the spelling of its creation or last rename. */
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  readonly inviteOnly: boolean;
  readonly isWebPublic: boolean;
  readonly isAnnouncementOnly: boolean;
  readonly historyPublicToSubscribers: boolean;
  readonly isDeactivated: boolean;
  readonly isDefault: boolean;
  readonly version: number;
  readonly recipientId: number;
  readonly creatorId: number | null;
  /** Unix time. */
  readonly createdAtSecs: number;
  /** The first message ever sent; null until then. */
  readonly firstMessageId: number | null;
};

const columns = `s.id, s.name, s.description, s.rendered_description AS "renderedDescription",
  ${isPrivateSql('s')} AS "inviteOnly", s.is_web_public AS "isWebPublic", s.is_announcement_only AS "isAnnouncementOnly",
  s.history_public_to_subscribers AS "historyPublicToSubscribers", s.is_deactivated AS "isDeactivated",
  s.is_default AS "isDefault", s.version, s.recipient_id AS "recipientId", s.creator_id AS "creatorId",
  extract(epoch FROM s.created_at)::float8 AS "createdAtSecs",
  (SELECT f.message_id FROM stream_first_messages f WHERE f.stream_id = s.id) AS "firstMessageId"`;

/** @returns the stream, deactivated or not, or undefined */
export async function findStreamById(db: Queryable, streamId: number): Promise<Stream | undefined> {
  // Ids come from clients and may be larger than the column's type.
  const { rows } = await db.query<Stream>({
    name: 'store-find-stream-by-id',
    text: `SELECT ${columns} FROM streams s WHERE s.id = $1::bigint`,
    values: [streamId],
  });
  return rows[0];
}

/** @returns the existing streams with these ids, deactivated or not, by ascending id */
export async function findStreamsByIds(
  db: Queryable,
  streamIds: readonly number[],
): Promise<Stream[]> {
  const { rows } = await db.query<Stream>({
    name: 'store-find-streams-by-ids',
    text: `SELECT ${columns} FROM streams s WHERE s.id = ANY ($1::bigint[]) ORDER BY s.id`,
    values: [streamIds],
  });
  return rows;
}

/** @returns the stream with this name in any letter case, deactivated or not, or undefined; the caller has trimmed the name */
export async function findStreamByName(db: Queryable, name: string): Promise<Stream | undefined> {
  const { rows } = await db.query<Stream>({
    name: 'store-find-stream-by-name',
    text: `SELECT ${columns} FROM streams s WHERE s.name_folded = $1`,
    values: [foldName(name)],
  });
  return rows[0];
}

/** @returns the existing streams with these names (any letter case), deactivated or not, by ascending id */
export async function findStreamsByNames(
  db: Queryable,
  names: readonly string[],
): Promise<Stream[]> {
  const { rows } = await db.query<Stream>({
    name: 'store-find-streams-by-names',
    text: `SELECT ${columns} FROM streams s WHERE s.name_folded = ANY ($1::text[]) ORDER BY s.id`,
    values: [names.map(foldName)],
  });
  return rows;
}

/**
 * Locks streams for a change of the streams or of their memberships.
 *
 * @returns the streams with these ids or names (any letter case), deactivated or not, by ascending id
 */
export async function lockStreams(
  db: Queryable,
  which: { readonly streamIds?: readonly number[]; readonly names?: readonly string[] },
): Promise<Stream[]> {
  const { rows } = await db.query<Stream>({
    text: `SELECT ${columns} FROM streams s WHERE s.id = ANY ($1::bigint[]) OR s.name_folded = ANY ($2::text[])
      ORDER BY s.id FOR UPDATE OF s`,
    values: [which.streamIds ?? [], (which.names ?? []).map(foldName)],
  });
  return rows;
}

/** Keeps a stream's name, privacy, activity and members unchanged until the transaction ends. */
export async function lockStreamInUse(db: Queryable, streamId: number): Promise<void> {
  await db.query({
    text: 'SELECT 1 FROM streams WHERE id = $1::bigint FOR KEY SHARE',
    values: [streamId],
  });
}

/** The streams that GET streams lists: the union of the sources (contract, GET streams; reference facts, streams 4.1). */
export type StreamSources = {
  readonly public: boolean;
  /** Default streams that the account of this id may read. */
  readonly defaultsOf: number | null;
  readonly allActive: boolean;
  /** All default streams, for any caller. */
  readonly defaults?: boolean;
  /** Streams with any of these users as a member. */
  readonly subscriberIds: readonly number[];
};

/** @returns the live streams of the sources, by name in code-point order */
export async function listStreams(db: Queryable, sources: StreamSources): Promise<Stream[]> {
  const { rows } = await db.query<Stream>({
    name: 'store-list-streams',
    text: `SELECT ${columns} FROM streams s
      WHERE NOT s.is_deactivated AND ($1 OR (s.is_default AND $5) OR ($2 AND ${isPublicSql('s')})
        OR s.id IN (${memberStreamsSql('ANY ($3::int[])')})
        OR (s.is_default AND EXISTS (SELECT 1 FROM users u WHERE u.id = $4 AND ${mayReadStreamSql('s', 'u')})))
      ORDER BY s.name COLLATE "C"`,
    values: [
      sources.allActive,
      sources.public,
      sources.subscriberIds,
      sources.defaultsOf,
      sources.defaults ?? false,
    ],
  });
  return rows;
}

export type NewStream = {
  /** Trimmed and checked by `streamNameFault`. */
  readonly name: string;
  readonly description?: string;
  readonly renderedDescription?: string;
  readonly inviteOnly?: boolean;
  readonly isAnnouncementOnly?: boolean;
  /** Only matters for a private stream; a public one always shares its history (reference facts, streams 5.1). */
  readonly historyPublicToSubscribers?: boolean | null;
  readonly isDefault?: boolean;
  readonly creatorId: number | null;
};

/**
 * Creates streams in one statement, except one whose name another request takes meanwhile.
 *
 * @param streams names that differ when folded; every caller gives several in the order of their folded names, so that two requests never
 *   wait for each other
 * @returns the created streams, locked by their insertion
 */
export async function createStreams(
  db: Queryable,
  streams: readonly NewStream[],
): Promise<Stream[]> {
  if (streams.length === 0) return [];
  const rowsOf = streams.map((stream) => {
    const inviteOnly = stream.inviteOnly ?? false;
    return {
      name: stream.name,
      name_folded: foldName(stream.name),
      description: stream.description ?? '',
      rendered_description: stream.renderedDescription ?? '',
      invite_only: inviteOnly,
      is_announcement_only: stream.isAnnouncementOnly ?? false,
      history_public_to_subscribers: !inviteOnly || (stream.historyPublicToSubscribers ?? false),
      is_default: stream.isDefault ?? false,
      email_token: randomBytes(16).toString('hex'),
      creator_id: stream.creatorId,
    };
  });
  const { rows } = await db.query<Stream>({
    text: `INSERT INTO streams AS s (name, name_folded, description, rendered_description, invite_only, is_announcement_only,
        history_public_to_subscribers, is_default, email_token, creator_id)
      SELECT n.name, n.name_folded, n.description, n.rendered_description, n.invite_only, n.is_announcement_only,
        n.history_public_to_subscribers, n.is_default, n.email_token, n.creator_id
      FROM json_to_recordset($1::json) n (name text, name_folded text, description text, rendered_description text,
        invite_only boolean, is_announcement_only boolean, history_public_to_subscribers boolean, is_default boolean,
        email_token text, creator_id integer)
      ON CONFLICT (name_folded) DO NOTHING RETURNING ${columns}`,
    values: [JSON.stringify(rowsOf)],
  });
  return rows;
}

/**
 * Creates a stream, unless another request has just taken the name.
 *
 * @returns the stream, locked by its insertion, or undefined if the name is taken
 */
export async function createStream(db: Queryable, stream: NewStream): Promise<Stream | undefined> {
  const [created] = await createStreams(db, [stream]);
  return created;
}

/** Settings of a stream that an administrator may change; absent members stay unchanged. The caller has locked the stream. */
export type StreamChange = {
  readonly name?: string;
  readonly description?: { readonly text: string; readonly rendered: string };
  readonly privacy?: { readonly inviteOnly: boolean; readonly historyPublicToSubscribers: boolean };
  readonly isAnnouncementOnly?: boolean;
  readonly isDefault?: boolean;
};

/**
 * Changes a stream and increments its version.
 *
 * @returns the stream after the change
 * @throws the database's unique violation if the new name is taken
 */
export async function updateStream(
  db: Queryable,
  streamId: number,
  change: StreamChange,
): Promise<Stream> {
  const { rows } = await db.query<Stream>({
    text: `UPDATE streams AS s SET name = coalesce($2, name), name_folded = coalesce($3, name_folded),
        description = coalesce($4, description), rendered_description = coalesce($5, rendered_description),
        invite_only = coalesce($6, invite_only),
        history_public_to_subscribers = coalesce($7, history_public_to_subscribers),
        is_announcement_only = coalesce($8, is_announcement_only), is_default = coalesce($9, is_default),
        version = version + 1
      WHERE s.id = $1 RETURNING ${columns}`,
    values: [
      streamId,
      change.name ?? null,
      change.name === undefined ? null : foldName(change.name),
      change.description?.text ?? null,
      change.description?.rendered ?? null,
      change.privacy?.inviteOnly ?? null,
      change.privacy?.historyPublicToSubscribers ?? null,
      change.isAnnouncementOnly ?? null,
      change.isDefault ?? null,
    ],
  });
  const updated = rows[0];
  if (updated === undefined) throw new Error(`stream ${streamId} does not exist`);
  if (change.privacy?.inviteOnly === false) await deleteKeptOfStream(db, streamId);
  return updated;
}

/** Two deactivations must not choose the same free name, so they choose one at a time, under an advisory lock with this number. */
const deactivatedNameLock = 7_217_002;

/**
 * Deactivates streams: they become private, are no longer default streams, and are renamed so that their names are free (reference facts,
 * streams 8.2). The caller has locked the streams; `closeStreamMemberships` closes their memberships.
 */
export async function deactivateStreams(db: Queryable, streams: readonly Stream[]): Promise<void> {
  if (streams.length === 0) return;
  await db.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [deactivatedNameLock] });
  const chosen = new Map<string, { readonly id: number; readonly name: string }>();
  let undecided = streams.map(({ id, name }) => ({
    id,
    name: firstCodePoints(`!DEACTIVATED:${name}`),
  }));
  while (undecided.length > 0) {
    const taken = await findStreamsByNames(
      db,
      undecided.map(({ name }) => name),
    );
    const takenNames = new Set(taken.map(({ name }) => foldName(name)));
    const again: { readonly id: number; readonly name: string }[] = [];
    for (const candidate of undecided) {
      const folded = foldName(candidate.name);
      if (takenNames.has(folded) || chosen.has(folded))
        again.push({ id: candidate.id, name: firstCodePoints(`!${candidate.name}`) });
      else chosen.set(folded, candidate);
    }
    undecided = again;
  }
  await db.query({
    text: `UPDATE streams s SET name = n.name, name_folded = n.folded, invite_only = true, is_default = false,
        is_deactivated = true, version = version + 1
      FROM unnest($1::int[], $2::text[], $3::text[]) n (id, name, folded) WHERE s.id = n.id`,
    values: [
      [...chosen.values()].map(({ id }) => id),
      [...chosen.values()].map(({ name }) => name),
      [...chosen.keys()],
    ],
  });
}

function firstCodePoints(name: string): string {
  return Array.from(name).slice(0, limits.streamNameMaxCodePoints).join('');
}

/**
 * Checks a trimmed stream name (reference facts, streams 3.5).
 *
 * @returns the error text for a name that no stream can have, or undefined
 */
export function streamNameFault(name: string): string | undefined {
  if (name === '') return "Invalid stream name ''";
  if (Array.from(name).length > limits.streamNameMaxCodePoints) {
    return `Stream name too long (limit: ${limits.streamNameMaxCodePoints} characters).`;
  }
  if (name.includes('\0')) return `Stream name '${name}' contains NULL (0x00) characters.`;
  return undefined;
}
