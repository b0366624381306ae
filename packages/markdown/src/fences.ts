import { codeBlockHtml } from './code-blocks.ts';
import { matchFenceLine } from './fence-lines.ts';
import type { RenderEffort } from './step-budget.ts';
import { stashClose, stashOpen } from './source-lines.ts';
import { texBlockHtml } from './tex.ts';

/** A block that waits for its place in the tree; no other rule changes its text. */
export type StashedBlock = { kind: 'code' | 'tex'; text: string; info: string };

export function stashedHtml({ kind, text, info }: StashedBlock, effort: RenderEffort): string {
  return kind === 'tex' && !effort.isPlain
    ? texBlockHtml(text, effort.budget)
    : codeBlockHtml(text, info, effort);
}

/** A line that represents `stash[index]`; the marks cannot occur in normalised content. */
const stashMark = (index: number): string => stashOpen + index + stashClose;

export const stashMarks = new RegExp(`${stashOpen}([0-9]+)${stashClose}`, 'g');
export const wholeStashMark = new RegExp(`^${stashOpen}([0-9]+)${stashClose}$`);

type OpenBlock =
  | { fence: string; kind: 'quote' }
  | { fence: string; kind: 'code' | 'tex'; info: string; lines: string[] };

/** Quote fences could nest without end, so deeper ones are shown as code. */
const quoteFencesMax = 50;

/**
 * Takes fenced blocks out of the lines (reference facts, markdown 2.6 to 2.8). Code and math become marks on separate lines, quote fences
 * become `> ` lines.
 */
export function extractFences(lines: readonly string[], stash: StashedBlock[]): string[] {
  const output: string[] = [];
  const open: OpenBlock[] = [];
  let quoteDepth = 0;

  /** Writes a line with the marks of all quotes around it at once; blank lines separate paragraphs inside a quote as they do outside. */
  const write = (line: string): void => {
    output.push(quoteDepth === 0 || line === '' ? line : `${'>'.repeat(quoteDepth)} ${line}`);
  };

  const close = (block: OpenBlock): void => {
    open.pop();
    if (block.kind === 'quote') {
      quoteDepth -= 1;
      write('');
      return;
    }
    stash.push({ kind: block.kind, text: block.lines.join('\n'), info: block.info });
    write('');
    write(stashMark(stash.length - 1));
    write('');
  };

  for (const line of lines) {
    const current = open.at(-1);
    if (current !== undefined && line.trimEnd() === current.fence) {
      close(current);
      continue;
    }
    if (current !== undefined && current.kind !== 'quote') {
      current.lines.push(line.trimEnd());
      continue;
    }
    const fenceLine = matchFenceLine(line);
    if (fenceLine === undefined) {
      write(line);
      continue;
    }
    const { fence, info, isQuote, isTex } = fenceLine;
    if (isQuote && open.length < quoteFencesMax) {
      write('');
      quoteDepth += 1;
      open.push({ fence, kind: 'quote' });
    } else {
      open.push({ fence, kind: isTex ? 'tex' : 'code', info, lines: [] });
    }
  }
  for (let block = open.at(-1); block !== undefined; block = open.at(-1)) close(block);
  return output;
}
