/** Names of uploaded files (reference facts, people 15). */
import { decodeForm } from '@parley/server';

/** The bound of the name that the owner sees; longer names are cut. */
const shownNameMaxCodePoints = 255;
/** In a path: few enough that an escaped address stays below what proxies take. */
const cleanNameMaxCodePoints = 100;
/** An extension up to this length is kept by the cut. */
const extensionMaxCodePoints = 20;

function cut(name: string, codePointsMax: number): string {
  const points = Array.from(name);
  if (points.length <= codePointsMax) return name;
  const dot = points.lastIndexOf('.');
  const extension =
    dot > 0 && points.length - dot <= extensionMaxCodePoints ? points.slice(dot) : [];
  return [...points.slice(0, codePointsMax - extension.length), ...extension].join('');
}

/**
 * The name of a file as its owner sees it: percent escapes are decoded, and characters that no text may contain are removed.
 *
 * @param written as the client wrote it
 */
export function shownFileName(written: string): string {
  // In a form `+` is a space and `&` ends a value, which they do not in a name.
  const value = written.replaceAll('+', '%2B').replaceAll('&', '%26');
  const decoded = decodeForm(`=${value}`).get('') ?? '';
  return cut(decoded.replaceAll('\0', '').toWellFormed(), shownNameMaxCodePoints);
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
  const clean = cut(kept, cleanNameMaxCodePoints);
  return /^\.*$/.test(clean) ? 'uploaded-file' : clean;
}
