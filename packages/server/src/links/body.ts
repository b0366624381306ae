/** Bodies are passed on in the pieces in which they came, because joining a long one costs as much as making it. */

/** A text, or bytes in any number of pieces. */
export type LinkBody = string | readonly Buffer[];

/** @returns the bytes of a body as UTF-8 */
export function bytesOf(body: LinkBody): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body.reduce((sum, piece) => sum + piece.length, 0);
}

/** @returns a body as one text; bytes are decoded as UTF-8 */
export function textOf(body: LinkBody): string {
  return typeof body === 'string' ? body : joined(body).toString();
}

/** @returns the pieces as one buffer, without copying if there is only one */
export function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}

/** @returns a copy in separate memory: a slice of shared memory would keep all of it alive */
export function ownCopy(pieces: readonly Buffer[]): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytesOf(pieces));
  let at = 0;
  for (const piece of pieces) at += piece.copy(copy, at);
  return copy;
}

/**
 * Splits pieces at a number of bytes, without copying.
 *
 * @returns the pieces before and after the split
 */
export function cutAt(
  pieces: readonly Buffer[],
  bytes: number,
): readonly [before: readonly Buffer[], behind: readonly Buffer[]] {
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const left = bytes - at;
    if (piece.length > left) {
      const before = pieces.slice(0, index);
      const behind = pieces.slice(index + 1);
      return left === 0
        ? [before, [piece, ...behind]]
        : [
            [...before, piece.subarray(0, left)],
            [piece.subarray(left), ...behind],
          ];
    }
    at += piece.length;
  }
  return [pieces, []];
}
