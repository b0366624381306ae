import { silenceMentions } from './block-rules.ts';
import { codeBlockHtml } from './code-blocks.ts';
import { matchFenceLine } from './fence-lines.ts';
import type { RenderEffort } from './step-budget.ts';
import { stashClose, stashOpen } from './source-lines.ts';
import { texBlockHtml } from './tex.ts';

/**
 * A block that waits for its place in the tree. No other rule changes its text, but for that of a spoiler: that is a page of its own, with the
 * marks of the blocks in it, and its header is `info`.
 */
export type StashedBlock = { kind: 'code' | 'spoiler' | 'tex'; text: string; info: string };

export function stashedHtml({ kind, text, info }: StashedBlock, effort: RenderEffort): string {
  return kind === 'tex' && !effort.isPlain
    ? texBlockHtml(text, effort.budget)
    : codeBlockHtml(text, info, effort);
}

/** A line that represents `stash[index]`; the marks cannot occur in normalised content. */
const stashMark = (index: number): string => stashOpen + index + stashClose;

export const stashMarks = new RegExp(`${stashOpen}([0-9]+)${stashClose}`, 'g');
export const wholeStashMark = new RegExp(`^${stashOpen}([0-9]+)${stashClose}$`);

/** Lines that are read together: all of a message, or those of one spoiler. */
type Page = { readonly lines: string[]; quoteDepth: number };

/** The text of a page, which ends with its last block: as a block of its own, a mark has an empty line after it. */
export const textOfPage = (lines: readonly string[]): string => `${lines.join('\n')}\n\n`;

type OpenBlock =
  | { fence: string; kind: 'quote' }
  | { fence: string; kind: 'spoiler'; info: string; around: Page }
  | { fence: string; kind: 'code' | 'tex'; info: string; lines: string[] };

/** Quotes and spoilers could nest without end, so deeper ones are shown as code. */
const openFencesMax = 50;

/**
 * Takes fenced blocks out of the lines (reference facts, markdown 2.6 to 2.8). Code, math and spoilers become marks on separate lines,
 * quote fences become `> ` lines.
 */
export function extractFences(lines: readonly string[], stash: StashedBlock[]): string[] {
  const open: OpenBlock[] = [];
  let page: Page = { lines: [], quoteDepth: 0 };

  /** Writes a line with the marks of all quotes around it at once; blank lines separate paragraphs inside a quote as they do outside. */
  const write = (line: string): void => {
    const { lines: written, quoteDepth } = page;
    written.push(quoteDepth === 0 || line === '' ? line : `${'>'.repeat(quoteDepth)} ${line}`);
  };

  const writeMark = (block: StashedBlock): void => {
    stash.push(block);
    write('');
    write(stashMark(stash.length - 1));
    write('');
  };

  const close = (block: OpenBlock): void => {
    open.pop();
    if (block.kind === 'quote') {
      page.quoteDepth -= 1;
      write('');
    } else if (block.kind === 'spoiler') {
      const { lines: written } = page;
      page = block.around;
      const isQuoted = open.some(({ kind }) => kind === 'quote');
      const [info = '', text = ''] = [block.info, textOfPage(written)].map((each) =>
        isQuoted ? silenceMentions(each) : each,
      );
      writeMark({ kind: 'spoiler', text, info });
    } else {
      writeMark({ kind: block.kind, text: block.lines.join('\n'), info: block.info });
    }
  };

  for (const line of lines) {
    const current = open.at(-1);
    if (current !== undefined && line.trimEnd() === current.fence) {
      close(current);
      continue;
    }
    if (current?.kind === 'code' || current?.kind === 'tex') {
      current.lines.push(line.trimEnd());
      continue;
    }
    const fenceLine = matchFenceLine(line);
    if (fenceLine === undefined) {
      write(line);
      continue;
    }
    const { fence, info, kind } = fenceLine;
    if (kind === 'code' || kind === 'tex') {
      open.push({ fence, kind, info, lines: [] });
    } else if (open.length === openFencesMax) {
      open.push({ fence, kind: 'code', info, lines: [] });
    } else if (kind === 'quote') {
      write('');
      page.quoteDepth += 1;
      open.push({ fence, kind });
    } else {
      open.push({ fence, kind, info, around: page });
      page = { lines: [], quoteDepth: 0 };
    }
  }
  for (let block = open.at(-1); block !== undefined; block = open.at(-1)) close(block);
  return page.lines;
}
