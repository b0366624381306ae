/** Names and paths of uploaded files (reference facts, people 15). */
import { randomBytes, randomInt } from 'node:crypto';

import { realmId } from '@parley/api';

/** In a path: few enough that an escaped address stays below what proxies take. */
const cleanNameMaxCodePoints = 100;
/** An extension up to this length is kept by the cut. */
const extensionMaxCodePoints = 20;

/** @returns a name of at most so many characters, cut before its extension */
export function cutFileName(name: string, codePointsMax: number): string {
  const points = Array.from(name);
  if (points.length <= codePointsMax) return name;
  const dot = points.lastIndexOf('.');
  const extension =
    dot > 0 && points.length - dot <= extensionMaxCodePoints ? points.slice(dot) : [];
  return [...points.slice(0, codePointsMax - extension.length), ...extension].join('');
}

/**
 * The name of a file in its path: letters and digits of any script, `_`, `.` and `-`. A name without any of these, or that clients would
 * read as another folder, becomes `uploaded-file`.
 */
export function cleanFileName(shown: string): string {
  const kept = shown
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}_.\-\s]/gu, '')
    .trim()
    .replaceAll(/[-\s]+/g, '-');
  const clean = cutFileName(kept, cleanNameMaxCodePoints);
  return /^\.*$/.test(clean) ? 'uploaded-file' : clean;
}

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
