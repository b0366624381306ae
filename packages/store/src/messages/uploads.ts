/** Uploaded files and the messages that link to them (owner of `uploads`, `message_uploads`, `upload_space`, `files_to_remove`). */
import type { Client, Queryable } from '@parley/database';

import {
  canHoldSql,
  isKeptForSql,
  isMemberSql,
  mayReadHistorySql,
  maySeeMessageSql,
} from '../visibility/visibility-sql.ts';

/** A file as its owner sees it (reference facts, people 15, and events 14.3). Times are in milliseconds. */
export type Attachment = {
  readonly id: number;
  readonly name: string;
  readonly path_id: string;
  readonly size: number;
  readonly create_time: number;
  /** By ascending id; `name` is the time at which the message was sent. */
  readonly messages: readonly { readonly id: number; readonly name: number }[];
};

/** Whether a user sees that the message `m` links to a file now. */
function seesLinkSql(user: string): string {
  return `(${maySeeMessageSql('m', user)} AND NOT ${isKeptForSql('m', user)})`;
}

/** Whether a user may read a file: an own one, or one linked from a message that the user may see (reference facts, people 15). */
function readableSql(upload: string, user: string): string {
  return `(${upload}.owner_id = ${user} OR EXISTS (SELECT 1 FROM message_uploads link JOIN messages m ON m.id = link.message_id
    WHERE link.path_id = ${upload}.path_id AND ${seesLinkSql(user)})
    OR EXISTS (SELECT 1 FROM kept_messages held WHERE held.path_ids @> ARRAY[${upload}.path_id] AND held.user_ids @> ARRAY[${user}::integer]))`;
}

/** A file lists this many of its links, the newest, so that each further send costs the same. */
const linksListedMax = 1000;

/** The owner learns only of links in messages that the owner may see. */
function attachmentSql(upload: string): string {
  return `json_build_object('id', ${upload}.id, 'name', ${upload}.file_name, 'path_id', ${upload}.path_id,
    'size', ${upload}.size_bytes, 'create_time', floor(extract(epoch FROM ${upload}.created_at) * 1000)::bigint,
    'messages', coalesce((SELECT json_agg(json_build_object('id', m.id, 'name', extract(epoch FROM m.sent_at)::bigint * 1000)
        ORDER BY m.id)
      FROM (SELECT newest.message_id FROM message_uploads newest WHERE newest.path_id = ${upload}.path_id
        ORDER BY newest.message_id DESC LIMIT ${linksListedMax}) link JOIN messages m ON m.id = link.message_id
      WHERE ${seesLinkSql(`${upload}.owner_id`)}), '[]'::json))`;
}

const spaceUsedSql = '(SELECT space.used_bytes FROM upload_space space)';

/** The storage key of a path's file: the path without its last part, so that no client can influence it. */
export function storageKeyOf(pathId: string): string {
  return pathId.slice(0, pathId.lastIndexOf('/'));
}

export type NewUpload = {
  readonly pathId: string;
  readonly storageKey: string;
  readonly ownerId: number;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
};

/**
 * Notes a file before it is stored, so that it is removed if its row is never inserted.
 *
 * @param dueInSecs more than the time that storing it may take
 */
export async function noteNewFile(
  db: Queryable,
  storageKey: string,
  dueInSecs: number,
): Promise<void> {
  await db.query({
    text: 'INSERT INTO files_to_remove (storage_key, due_at) VALUES ($1, parley_now() + make_interval(secs => $2))',
    values: [storageKey, dueInSecs],
  });
}

/**
 * Deletes the note of `noteNewFile`, in the transaction of the row that names the file.
 *
 * @returns false if storing took too long and the file was removed
 */
async function claimNewFile(client: Client, storageKey: string): Promise<boolean> {
  const { rowCount } = await client.query({
    text: 'DELETE FROM files_to_remove WHERE storage_key = $1 AND NOT is_taken',
    values: [storageKey],
  });
  return rowCount === 1;
}

/** Notes a file for removal, in the transaction that deletes the row that names it. */
export async function noteUnusedFile(client: Client, storageKey: string): Promise<void> {
  await client.query({
    text: 'INSERT INTO files_to_remove (storage_key, due_at) VALUES ($1, parley_now())',
    values: [storageKey],
  });
}

export type AddedUpload =
  | { readonly outcome: 'added'; readonly attachment: Attachment; readonly spaceUsedBytes: number }
  /** `late`: the file was removed because storing it took too long. */
  | { readonly outcome: 'over-quota' | 'owner-inactive' | 'late' };

/**
 * Adds the row of a file that was stored after `noteNewFile`. The space is locked last, so that uploads block each other only there.
 *
 * @param quotaBytes the most space for all files together; undefined for no bound
 * @returns `added`; after any other outcome the caller must roll back
 */
export async function addUpload(
  client: Client,
  upload: NewUpload,
  quotaBytes: number | undefined,
): Promise<AddedUpload> {
  if (!(await claimNewFile(client, upload.storageKey))) return { outcome: 'late' };
  const { rows } = await client.query<{ attachment: Attachment }>({
    text: `INSERT INTO uploads AS added (path_id, owner_id, file_name, content_type, size_bytes)
      SELECT $1, u.id, $3, $4, $5 FROM users u WHERE u.id = $2 AND u.is_active RETURNING ${attachmentSql('added')} AS attachment`,
    values: [upload.pathId, upload.ownerId, upload.name, upload.contentType, upload.sizeBytes],
  });
  const added = rows[0];
  if (added === undefined) return { outcome: 'owner-inactive' };
  const space = await client.query<{ used: number }>({
    text: `UPDATE upload_space SET used_bytes = used_bytes + $1
      WHERE $2::bigint IS NULL OR used_bytes + $1 <= $2::bigint RETURNING used_bytes AS used`,
    values: [upload.sizeBytes, quotaBytes ?? null],
  });
  const used = space.rows[0]?.used;
  return used === undefined
    ? { outcome: 'over-quota' }
    : { outcome: 'added', attachment: added.attachment, spaceUsedBytes: used };
}

export type FoundUpload = {
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly isReadable: boolean;
};

/** Finds a file by its path, and decides in the same statement whether the user may read it. */
export async function findUpload(
  db: Queryable,
  userId: number,
  pathId: string,
): Promise<FoundUpload | undefined> {
  const { rows } = await db.query<FoundUpload>({
    name: 'upload-find',
    text: `SELECT u.content_type AS "contentType", u.size_bytes AS "sizeBytes", ${readableSql('u', '$1::integer')} AS "isReadable"
      FROM uploads u WHERE u.path_id = $2`,
    values: [userId, pathId],
  });
  return rows[0];
}

/** @returns a user's own files, oldest first, and the space that all files of the organization take */
export async function listAttachments(
  db: Queryable,
  ownerId: number,
): Promise<{ readonly attachments: readonly Attachment[]; readonly spaceUsedBytes: number }> {
  const { rows } = await db.query<{ used: number; attachments: Attachment[] }>({
    name: 'upload-list',
    text: `SELECT ${spaceUsedSql} AS used, coalesce((SELECT json_agg(${attachmentSql('u')} ORDER BY u.id)
      FROM uploads u WHERE u.owner_id = $1), '[]'::json) AS attachments`,
    values: [ownerId],
  });
  return { attachments: rows[0]?.attachments ?? [], spaceUsedBytes: rows[0]?.used ?? 0 };
}

/**
 * Removes a file's row and the links to it, and notes the stored file for removal.
 *
 * @param storageKeyOf returns the storage key of a path's file
 * @returns undefined if this owner has no such file
 */
export async function removeUpload(
  client: Client,
  ownerId: number,
  uploadId: number,
  storageKeyOf: (pathId: string) => string,
): Promise<{ readonly storageKey: string; readonly spaceUsedBytes: number } | undefined> {
  const { rows } = await client.query<{ path_id: string; size_bytes: number }>({
    text: 'DELETE FROM uploads WHERE id = $1::bigint AND owner_id = $2 RETURNING path_id, size_bytes',
    values: [uploadId, ownerId],
  });
  const removed = rows[0];
  if (removed === undefined) return undefined;
  const storageKey = storageKeyOf(removed.path_id);
  await client.query({
    text: 'DELETE FROM message_uploads WHERE path_id = $1',
    values: [removed.path_id],
  });
  await noteUnusedFile(client, storageKey);
  const space = await client.query<{ used: number }>({
    text: 'UPDATE upload_space SET used_bytes = used_bytes - $1 RETURNING used_bytes AS used',
    values: [removed.size_bytes],
  });
  return { storageKey, spaceUsedBytes: space.rows[0]?.used ?? 0 };
}

/** The addressee of a message: a stream, or people. */
export type LinkPlace =
  | { readonly streamId: number }
  | { readonly participantIds: readonly number[] };

/** A file that a message links to and that its sender may read. */
export type ClaimableUpload = {
  readonly pathId: string;
  readonly ownerId: number;
  /** Whether the owner may see messages to that addressee and so learns of the link. */
  readonly isSeenByOwner: boolean;
  /** The file without the new message. */
  readonly attachment: Attachment;
  readonly spaceUsedBytes: number;
};

/**
 * Finds the files that a message's sender may link to: a link by somebody who may not read a file gives nobody access to it (reference
 * facts, markdown 14). A message without such links costs no statement.
 *
 * @param pathIds the `attachmentPathIds` of the rendered message
 */
export async function findClaimableUploads(
  db: Queryable,
  senderId: number,
  pathIds: readonly string[],
  place: LinkPlace,
): Promise<readonly ClaimableUpload[]> {
  if (pathIds.length === 0) return [];
  const { rows } = await db.query<ClaimableUpload>({
    name: 'upload-claimable',
    text: `SELECT u.path_id AS "pathId", u.owner_id AS "ownerId", ${attachmentSql('u')} AS attachment,
        ${spaceUsedSql} AS "spaceUsedBytes",
        (${canHoldSql('u.owner_id')} AND (u.owner_id = ANY ($4::integer[]) OR ${isMemberSql('$3::integer', 'u.owner_id')})
          OR ${mayReadHistorySql('$3::integer', 'u.owner_id')}) AS "isSeenByOwner"
      FROM uploads u WHERE u.path_id = ANY ($2::text[]) AND ${readableSql('u', '$1::integer')} ORDER BY u.id`,
    values: [
      senderId,
      pathIds,
      'streamId' in place ? place.streamId : null,
      'participantIds' in place ? place.participantIds : [],
    ],
  });
  return rows;
}

/**
 * Replaces a message's links to files by these. The caller has locked the message's row.
 *
 * @param pathIds the result of `findClaimableUploads` for the message's sender
 * @returns the files that gained or lost the link and whose owners may see the message, for the events to the owners
 */
export async function replaceMessageUploads(
  client: Client,
  messageId: number,
  pathIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ pathId: string }>({
    text: `WITH lost AS (
        DELETE FROM message_uploads WHERE message_id = $1 AND NOT path_id = ANY ($2::text[]) RETURNING path_id
      ), gained AS (
        INSERT INTO message_uploads (path_id, message_id) SELECT DISTINCT wanted, $1::bigint FROM unnest($2::text[]) wanted
        ON CONFLICT DO NOTHING RETURNING path_id
      )
      SELECT u.path_id AS "pathId" FROM (SELECT path_id FROM lost UNION ALL SELECT path_id FROM gained) changed
      JOIN uploads u ON u.path_id = changed.path_id JOIN messages m ON m.id = $1
      WHERE ${seesLinkSql('u.owner_id')} ORDER BY u.id`,
    values: [messageId, pathIds],
  });
  return rows.map(({ pathId }) => pathId);
}

/**
 * Deletes a message's links to files. Called before the message's own row is deleted.
 *
 * @returns as for `replaceMessageUploads`
 */
export async function deleteMessageUploads(
  client: Client,
  messageId: number,
): Promise<readonly string[]> {
  return replaceMessageUploads(client, messageId, []);
}

/** @returns files as their owners see them, with the total space of all files */
export async function getAttachmentsOf(
  db: Queryable,
  pathIds: readonly string[],
): Promise<
  readonly {
    readonly ownerId: number;
    readonly attachment: Attachment;
    readonly spaceUsedBytes: number;
  }[]
> {
  if (pathIds.length === 0) return [];
  const { rows } = await db.query<{
    ownerId: number;
    attachment: Attachment;
    spaceUsedBytes: number;
  }>({
    text: `SELECT u.owner_id AS "ownerId", ${attachmentSql('u')} AS attachment, ${spaceUsedSql} AS "spaceUsedBytes"
      FROM uploads u WHERE u.path_id = ANY ($1::text[]) ORDER BY u.id`,
    values: [pathIds],
  });
  return rows;
}

/**
 * Claims files that are due for removal. The caller removes each and then deletes its note; after a crash, the rest are claimed again.
 *
 * @param again the seconds until they may be claimed again
 */
export async function takeFilesToRemove(
  db: Queryable,
  filesMax: number,
  againInSecs: number,
): Promise<readonly string[]> {
  const { rows } = await db.query<{ storageKey: string }>({
    text: `UPDATE files_to_remove SET is_taken = true, due_at = parley_now() + make_interval(secs => $2) WHERE storage_key IN (
        SELECT due.storage_key FROM files_to_remove due WHERE due.due_at <= parley_now() ORDER BY due.due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING storage_key AS "storageKey"`,
    values: [filesMax, againInSecs],
  });
  return rows.map(({ storageKey }) => storageKey);
}

/**
 * Notes several files before they are stored; see `noteNewFile`. Notes of an earlier attempt are renewed.
 *
 * @returns those that another process is removing at this moment
 */
export async function noteNewFiles(
  db: Queryable,
  storageKeys: readonly string[],
  dueInSecs: number,
): Promise<readonly string[]> {
  const { rows } = await db.query<{ storageKey: string }>({
    text: `INSERT INTO files_to_remove AS noted (storage_key, due_at) SELECT k, parley_now() + make_interval(secs => $2) FROM unnest($1::text[]) k ORDER BY k
      ON CONFLICT (storage_key) DO UPDATE SET due_at = CASE WHEN noted.is_taken THEN noted.due_at ELSE excluded.due_at END
      RETURNING CASE WHEN is_taken THEN storage_key END AS "storageKey"`,
    values: [storageKeys, dueInSecs],
  });
  return rows.flatMap(({ storageKey }) => storageKey ?? []);
}

/**
 * Deletes the notes of stored files, in the transaction that names them; see `claimNewFile`.
 *
 * @returns how many there were: fewer than given if some were removed meanwhile
 */
export async function claimNewFiles(
  client: Client,
  storageKeys: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query({
    text: 'DELETE FROM files_to_remove WHERE storage_key = ANY ($1::text[]) AND NOT is_taken',
    values: [storageKeys],
  });
  return rowCount ?? 0;
}

/** @returns the keys of files that are noted for removal and that no process is removing, up to the given number */
export async function listNotedFiles(db: Queryable, filesMax: number): Promise<readonly string[]> {
  const { rows } = await db.query<{ storageKey: string }>({
    text: 'SELECT storage_key AS "storageKey" FROM files_to_remove WHERE NOT is_taken ORDER BY storage_key LIMIT $1',
    values: [filesMax],
  });
  return rows.map(({ storageKey }) => storageKey);
}

/** Deletes the note of a file that is removed. */
export async function forgetRemovedFile(db: Queryable, storageKey: string): Promise<void> {
  await db.query({
    text: 'DELETE FROM files_to_remove WHERE storage_key = $1',
    values: [storageKey],
  });
}
