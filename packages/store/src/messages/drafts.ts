/** What people wrote and did not send (owner of `drafts`). Only they see it. */
import { limits } from '@parley/api';
import type { Client, Queryable } from '@parley/database';

export type WrittenDraft = {
  readonly type: '' | 'stream' | 'private';
  /** Ids of a stream, or of people. */
  readonly recipientIds: readonly number[];
  readonly topic: string;
  readonly content: string;
  /** Unix time. */
  readonly writtenAtSecs: number;
};

export type Draft = WrittenDraft & { readonly id: number };

const draftColumns =
  'id, type, recipient_ids AS "recipientIds", topic, content, written_at_secs AS "writtenAtSecs"';

/** @returns the drafts of an account, the oldest first */
export async function listDrafts(db: Queryable, userId: number): Promise<Draft[]> {
  const { rows } = await db.query<Draft>({
    name: 'drafts-list',
    text: `SELECT ${draftColumns} FROM drafts WHERE user_id = $1 ORDER BY written_at_secs, id LIMIT ${limits.draftsMax}`,
    values: [userId],
  });
  return rows;
}

/** @returns how many drafts an account has, and the bytes of their texts */
export async function measureDrafts(
  client: Client,
  userId: number,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const { rows } = await client.query<{ count: number; bytes: number }>({
    name: 'drafts-measure',
    text: `SELECT count(*) AS count, coalesce(sum(octet_length(content)), 0)::float8 AS bytes FROM drafts WHERE user_id = $1`,
    values: [userId],
  });
  return rows[0] ?? { count: 0, bytes: 0 };
}

/** @returns the draft with its id */
export async function addDraft(
  client: Client,
  userId: number,
  draft: WrittenDraft,
): Promise<Draft> {
  const { type, recipientIds, topic, content, writtenAtSecs } = draft;
  const { rows } = await client.query<Draft>({
    name: 'draft-add',
    text: `INSERT INTO drafts (user_id, type, recipient_ids, topic, content, written_at_secs) VALUES ($1, $2, $3, $4, $5, $6)
      RETURNING ${draftColumns}`,
    values: [userId, type, recipientIds, topic, content, writtenAtSecs],
  });
  const [added] = rows;
  if (added === undefined) throw new Error('the insertion of a draft returned no row');
  return added;
}

/** @returns undefined if the account has no such draft */
export async function replaceDraft(
  client: Client,
  userId: number,
  { id, type, recipientIds, topic, content, writtenAtSecs }: Draft,
): Promise<Draft | undefined> {
  const { rows } = await client.query<Draft>({
    name: 'draft-replace',
    text: `UPDATE drafts SET type = $3, recipient_ids = $4, topic = $5, content = $6, written_at_secs = $7
      WHERE id = $1 AND user_id = $2 RETURNING ${draftColumns}`,
    values: [id, userId, type, recipientIds, topic, content, writtenAtSecs],
  });
  return rows[0];
}

/** @returns false if the account has no such draft */
export async function removeDraft(client: Client, userId: number, id: number): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'draft-remove',
    text: 'DELETE FROM drafts WHERE id = $1 AND user_id = $2',
    values: [id, userId],
  });
  return rowCount === 1;
}
