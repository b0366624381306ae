/** Exports of the organization's public data, and the jobs that make them (owner of `realm_exports`; decision 0056). */
import type { Client, Queryable } from '@parley/database';

export type ExportArchive = { readonly fileKey: string; readonly sizeBytes: number };

export type RealmExport = {
  readonly id: number;
  readonly actingUserId: number;
  readonly requestedAtSecs: number;
  /** Undefined before it is there, and after it was deleted. */
  readonly archive: ExportArchive | undefined;
  readonly failedAtSecs: number | undefined;
  readonly deletedAtSecs: number | undefined;
};

/** An export that this process makes. `attempts` distinguishes the claim from every later one. */
export type ClaimedExport = {
  readonly id: number;
  readonly actingUserId: number;
  readonly attempts: number;
};

type Row = {
  readonly id: number;
  readonly actingUserId: number;
  readonly requestedAtSecs: number;
  readonly fileKey: string | null;
  readonly sizeBytes: number | null;
  readonly failedAtSecs: number | null;
  readonly deletedAtSecs: number | null;
};

const exportsLock = 7_217_031;
const isWaiting = 'file_key IS NULL AND failed_at IS NULL AND deleted_at IS NULL';

/** Lets one change of the list happen at a time, until the transaction ends. */
export async function lockRealmExports(client: Client): Promise<void> {
  await client.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [exportsLock] });
}

/** @returns all exports, the oldest first */
export async function listRealmExports(db: Queryable): Promise<RealmExport[]> {
  const { rows } = await db.query<Row>({
    name: 'store-list-realm-exports',
    text: `SELECT id, acting_user_id AS "actingUserId", file_key AS "fileKey", size_bytes AS "sizeBytes",
        extract(epoch FROM requested_at)::float8 AS "requestedAtSecs",
        extract(epoch FROM failed_at)::float8 AS "failedAtSecs", extract(epoch FROM deleted_at)::float8 AS "deletedAtSecs"
      FROM realm_exports ORDER BY id`,
  });
  return rows.map(({ fileKey, sizeBytes, failedAtSecs, deletedAtSecs, ...row }) => ({
    ...row,
    archive: fileKey === null || sizeBytes === null ? undefined : { fileKey, sizeBytes },
    failedAtSecs: failedAtSecs ?? undefined,
    deletedAtSecs: deletedAtSecs ?? undefined,
  }));
}

/** Adds an export, which a job makes after the transaction has committed. The list is locked. */
export async function insertRealmExport(client: Client, actingUserId: number): Promise<void> {
  await client.query({
    text: 'INSERT INTO realm_exports (acting_user_id) VALUES ($1)',
    values: [actingUserId],
  });
}

/** @returns ids of exports that wait and that nobody makes */
export async function listDueRealmExports(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>({
    name: 'store-list-due-realm-exports',
    text: `SELECT id FROM realm_exports WHERE ${isWaiting} AND claimed_until < parley_now() ORDER BY id LIMIT 10`,
  });
  return rows.map(({ id }) => id);
}

/** @returns undefined if the export is made, has failed or was deleted, or if another process has it */
export async function claimRealmExport(
  db: Queryable,
  id: number,
  claimSecs: number,
): Promise<ClaimedExport | undefined> {
  const { rows } = await db.query<ClaimedExport>({
    name: 'store-claim-realm-export',
    text: `UPDATE realm_exports SET claimed_until = parley_now() + make_interval(secs => $2), attempts = attempts + 1
      WHERE id = $1 AND ${isWaiting} AND claimed_until < parley_now()
      RETURNING id, acting_user_id AS "actingUserId", attempts`,
    values: [id, claimSecs],
  });
  return rows[0];
}

/** @returns whether this process still has the export, now for as long again */
export async function keepRealmExport(
  db: Queryable,
  { id, attempts }: ClaimedExport,
  claimSecs: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-keep-realm-export',
    text: `UPDATE realm_exports SET claimed_until = parley_now() + make_interval(secs => $3)
      WHERE id = $1 AND attempts = $2 AND ${isWaiting}`,
    values: [id, attempts, claimSecs],
  });
  return rowCount === 1;
}

/**
 * Stores where the archive is, or that there will be none.
 *
 * @returns whether this process still had the export
 */
export async function endRealmExport(
  client: Client,
  { id, attempts }: ClaimedExport,
  archive: ExportArchive | undefined,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'store-end-realm-export',
    text: `UPDATE realm_exports SET file_key = $3, size_bytes = $4, failed_at = CASE WHEN $3::text IS NULL THEN parley_now() END
      WHERE id = $1 AND attempts = $2 AND ${isWaiting}`,
    values: [id, attempts, archive?.fileKey, archive?.sizeBytes],
  });
  return rowCount === 1;
}

/** Notes that the archive of an export is deleted. The list is locked. */
export async function markRealmExportDeleted(client: Client, id: number): Promise<void> {
  await client.query({
    text: 'UPDATE realm_exports SET file_key = NULL, size_bytes = NULL, deleted_at = parley_now() WHERE id = $1',
    values: [id],
  });
}
