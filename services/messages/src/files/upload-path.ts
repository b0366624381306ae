import { randomBytes, randomInt } from 'node:crypto';

/** The one organization of a database. */
export const realmId = 1;

export const uploadsPrefix = '/user_uploads/';

/** Nobody can guess it (reference facts, people 15): 24 characters. */
const tokenBytes = 18;

/**
 * Makes a new path of a file, without the prefix of its address.
 *
 * @param cleanName from `cleanFileName`
 */
export function newPathId(cleanName: string): string {
  const folder = randomInt(256).toString(16);
  return `${realmId}/${folder}/${randomBytes(tokenBytes).toString('base64url')}/${cleanName}`;
}

/** What names the content of a path for good: files never change. */
export function entityTagOf(pathId: string): string {
  return `"${pathId.split('/')[2] ?? ''}"`;
}
