/** What one statement does for a list that a client sent, of any length: a fraction of a second, and some megabytes. */
const idsPerStatement = 5_000;

/** @returns the ids, each once and ascending, in pieces of which one statement each is made */
export function idPieces(ids: readonly number[]): number[][] {
  const ordered = [...new Set(ids)].toSorted((a, b) => a - b);
  const pieces: number[][] = [];
  for (let at = 0; at < ordered.length; at += idsPerStatement)
    pieces.push(ordered.slice(at, at + idsPerStatement));
  return pieces;
}
