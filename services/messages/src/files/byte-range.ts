import type { ByteRange } from '@parley/files';

const singleRange = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Reads a Range header (RFC 9110, 14.2). One range is served; several ranges, or an invalid one, are ignored.
 *
 * @param sizeBytes of the whole file
 * @returns `unsatisfiable` for a range that begins after the end
 */
export function parseRange(
  header: string,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = singleRange.exec(header.trim());
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= sizeBytes) return 'unsatisfiable';
  return {
    first: Number(first),
    last: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1),
  };
}
