/** Names of uploaded files (reference facts, people 15). */
import { cutFileName } from '@parley/files';
import { decodeForm } from '@parley/server';

/** The bound of the name that the owner sees; longer names are cut. */
const shownNameMaxCodePoints = 255;
/**
 * The name of a file as its owner sees it: percent escapes are decoded, and characters that no text may contain are removed.
 *
 * @param written as the client wrote it
 */
export function shownFileName(written: string): string {
  // In a form `+` is a space and `&` ends a value, which they do not in a name.
  const value = written.replaceAll('+', '%2B').replaceAll('&', '%26');
  const decoded = decodeForm(`=${value}`).get('') ?? '';
  return cutFileName(decoded.replaceAll('\0', '').toWellFormed(), shownNameMaxCodePoints);
}
