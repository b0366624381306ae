/** The most ids of a client's list in one statement, which then takes a fraction of a second and some megabytes. */
const idsPerStatement = 5_000;

/** @returns the distinct ids, ascending, in pieces for one statement each */
export function idPieces(ids: readonly number[]): number[][] {
  const ordered = [...new Set(ids)].toSorted((a, b) => a - b);
  const pieces: number[][] = [];
  for (let at = 0; at < ordered.length; at += idsPerStatement)
    pieces.push(ordered.slice(at, at + idsPerStatement));
  return pieces;
}
