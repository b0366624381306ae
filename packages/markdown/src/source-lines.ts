import { matchFenceLine } from './fence-lines.ts';

/** Characters that normalised content never contains; a mark between them represents a fenced block. */
export const stashOpen = '\u0002';
export const stashClose = '\u0003';

const tabWidth = 4;
const hangingListLine = /^ {0,3}([*+-]|[0-9]\.) +/;
const bulletLine = /^ *[*+-] +/;
const numberLine = /^ {0,3}[0-9]+\. +/;
const longNumberLine = /^ {0,3}[0-9]{2,}\. +/;

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let expanded = '';
  let column = 0;
  for (const character of line) {
    if (character === '\t') {
      const width = tabWidth - (column % tabWidth);
      expanded += ' '.repeat(width);
      column += width;
    } else {
      expanded += character;
      column += 1;
    }
  }
  return expanded;
}

/** Removes the characters that rendering drops before any rule. */
export function withoutDroppedCharacters(content: string): string {
  return content.replaceAll(stashOpen, '').replaceAll(stashClose, '');
}

/**
 * Splits a message into lines with one kind of newline, spaces for tabs, and lines of spaces
 * emptied (reference facts, markdown 1.1), without U+0002 and U+0003.
 */
export function normalisedLines(content: string): string[] {
  let source = withoutDroppedCharacters(content);
  if (source.includes('\r')) source = source.replaceAll(/\r\n?/g, '\n');
  return source.split('\n').map((line) => {
    const expanded = expandTabs(line);
    return /^ +$/.test(expanded) ? '' : expanded;
  });
}

/**
 * Inserts a blank line where a list follows directly after other text (reference facts, markdown 2.4). Lines inside a fence stay unchanged,
 * except inside a quote or a spoiler.
 */
export function separateHangingLists(lines: readonly string[]): string[] {
  const separated: string[] = [];
  let isBelowBullet = false;
  const openFences: { fence: string; isCode: boolean }[] = [];
  for (const [index, line] of lines.entries()) {
    separated.push(line);
    const fenceLine = matchFenceLine(line);
    const current = openFences.at(-1);
    if (fenceLine !== undefined) {
      if (fenceLine.info === '' && current?.fence === fenceLine.fence) {
        openFences.pop();
      } else if (current?.isCode !== true) {
        const { fence, kind } = fenceLine;
        openFences.push({ fence, isCode: kind === 'code' || kind === 'tex' });
      }
    }
    isBelowBullet =
      bulletLine.test(line) || (isBelowBullet && line !== '' && !numberLine.test(line));
    const next = lines[index + 1];
    if (next === undefined || line === '') continue;
    if (openFences.at(-1)?.isCode === true) continue;
    const lower = hangingListLine.exec(next);
    const upper = hangingListLine.exec(line);
    const isSeparated =
      lower === null
        ? isBelowBullet && longNumberLine.test(next)
        : upper === null || upper[1]?.length !== lower[1]?.length;
    if (isSeparated) separated.push('');
  }
  return separated;
}
