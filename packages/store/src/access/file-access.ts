import type { Queryable } from '@parley/database';
import { findUpload } from '../index.ts';

export type ReadableFile = { readonly contentType: string; readonly sizeBytes: number };

/**
 * Decides whether a user may read an uploaded file: the owner and everyone who may see a message that links to it may (reference facts,
 * people 15). It is one statement, so closing a stream or removing a link closes the file at the same moment.
 *
 * @param pathId the uri without `/user_uploads/`
 * @returns `refused` for a file that the user may not read, undefined if there is none
 */
export async function findReadableFile(
  db: Queryable,
  userId: number,
  pathId: string,
): Promise<ReadableFile | 'refused' | undefined> {
  // No text in the database contains U+0000, so no path does.
  if (pathId.includes('\0')) return undefined;
  const upload = await findUpload(db, userId, pathId);
  if (upload === undefined) return undefined;
  const { isReadable, contentType, sizeBytes } = upload;
  return isReadable ? { contentType, sizeBytes } : 'refused';
}
