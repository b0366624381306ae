import type { InlinePass } from './inline-run.ts';

type TickRun = { start: number; length: number };

/** Runs of backticks, and for each length the indexes of runs of exactly that length. */
function findTickRuns(text: string): { runs: TickRun[]; byLength: Map<number, number[]> } {
  const runs: TickRun[] = [];
  const byLength = new Map<number, number[]>();
  for (const match of text.matchAll(/`+/g)) {
    const { length } = match[0];
    const list = byLength.get(length) ?? [];
    list.push(runs.length);
    byLength.set(length, list);
    runs.push({ start: match.index, length });
  }
  return { runs, byLength };
}

/**
 * Inline code (reference facts, markdown 4.3): if an opening run has no later run of its length, shorter parts of it are tried. The first
 * backtick of a run after a single backslash opens nothing.
 */
export const codeSpans: InlinePass = (text, run) => {
  const { runs, byLength } = findTickRuns(text);
  const cursors = new Map<number, number>();
  let output = '';
  let copied = 0;

  /** The first run of this length after `index`; cursors only move forward, so the whole is linear. */
  const findClosing = (length: number, index: number): number | undefined => {
    const list = byLength.get(length);
    if (list === undefined) return undefined;
    let cursor = cursors.get(length) ?? 0;
    while ((list[cursor] ?? Number.POSITIVE_INFINITY) <= index) cursor += 1;
    cursors.set(length, cursor);
    return list[cursor];
  };

  for (let index = 0; index < runs.length; index += 1) {
    const opening = runs[index];
    if (opening === undefined) break;
    let slashes = 0;
    while (text[opening.start - 1 - slashes] === '\\') slashes += 1;
    const isEscaped = slashes % 2 === 1;
    // Pairs of backslashes before a code span count as one each.
    const dropped = isEscaped ? 0 : slashes / 2;
    const start = opening.start + (isEscaped ? 1 : 0);
    for (let length = opening.length - (isEscaped ? 1 : 0); length > 0; length -= 1) {
      const closingIndex = findClosing(length, index);
      const closing = closingIndex === undefined ? undefined : runs[closingIndex];
      if (closing === undefined || closingIndex === undefined) continue;
      const code = text.slice(start + length, closing.start);
      output += text.slice(copied, start - dropped);
      output += run.add({ kind: 'code', code: run.plainText(code) });
      copied = closing.start + closing.length;
      index = closingIndex;
      break;
    }
  }
  return output + text.slice(copied);
};
