import type { Queryable } from '@parley/database';
import { findUpload } from '@parley/store';

export type ReadableFile = { readonly contentType: string; readonly sizeBytes: number };

/**
 * Decides whether a user may read an uploaded file: its owner, and whoever may see a message that links to it (reference facts,
 * people 15). One statement, so that what closes a stream or takes a link away closes the file with it.
 *
 * @param pathId the uri without `/user_uploads/`
 * @returns `refused` for a file that is there and not for him, undefined where none is
 */
export async function findReadableFile(
  db: Queryable,
  userId: number,
  pathId: string,
): Promise<ReadableFile | 'refused' | undefined> {
  // No text of the database holds one, so no path does.
  if (pathId.includes('\0')) return undefined;
  const upload = await findUpload(db, userId, pathId);
  if (upload === undefined) return undefined;
  const { isReadable, contentType, sizeBytes } = upload;
  return isReadable ? { contentType, sizeBytes } : 'refused';
}
