import { compileLinkifierPattern } from './linkifier-pattern.ts';

/** A piece of a pattern up to the beginning of its group's content. */
const beginningOfPiece = /(?:[\p{L}\p{N}_\-#=/: ]*|\+|!)\(\?P<[A-Za-z_][A-Za-z0-9_]*>/uy;

/** @returns the index after a character class that begins at `start` */
function behindClass(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === '^') index += 1;
  // A bracket at the beginning means itself.
  if (pattern[index] === ']') index += 1;
  while (index < pattern.length && pattern[index] !== ']') index += pattern[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** @returns the index after a group whose content begins at `start`, or undefined if it is empty or does not end */
function findGroupEnd(pattern: string, start: number): number | undefined {
  let depth = 1;
  let index = start;
  while (index < pattern.length) {
    const character = pattern[index];
    if (character === '\\') index += 2;
    else if (character === '[') index = behindClass(pattern, index);
    else {
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      index += 1;
      if (depth === 0) return index > start + 1 ? index : undefined;
    }
  }
  return undefined;
}

function isMadeOfPieces(pattern: string): boolean {
  let index = 0;
  do {
    beginningOfPiece.lastIndex = index;
    const beginning = beginningOfPiece.exec(pattern);
    const end = beginning === null ? undefined : findGroupEnd(pattern, beginningOfPiece.lastIndex);
    if (end === undefined) return false;
    index = end;
  } while (index < pattern.length);
  return true;
}

/**
 * Whether an organization may have a linkifier with this pattern (reference facts, people 12, and markdown 12): the pattern consists of
 * pieces, each a prefix and a named group, and the engine that runs it can compile it.
 */
export function isLinkifierPattern(pattern: string): boolean {
  return (
    !/[\r\n]/.test(pattern) &&
    isMadeOfPieces(pattern) &&
    compileLinkifierPattern(pattern) !== undefined
  );
}
