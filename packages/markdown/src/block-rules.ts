import { findTableBelow } from './block-tables.ts';
import { appendElement } from './block-tree.ts';
import type { BlockRule } from './block-tree.ts';

const codeIndent = ' '.repeat(4);

/** Blank lines between blocks; inside code they belong to it (reference facts, markdown 2.8). */
export const emptyRule: BlockRule = {
  test: (_parser, _parent, block) => block === '' || block.startsWith('\n'),
  run(_parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    if (block.length > 1) blocks.unshift(block.slice(1));
    const sibling = parent.children.at(-1);
    if (sibling?.tag === 'pre') sibling.text += block === '' ? '\n\n' : '\n';
  },
};

/** Indented code, only at the start of a block; consecutive code blocks are one. */
export const indentedCodeRule: BlockRule = {
  test: (_parser, _parent, block) => block.startsWith(codeIndent),
  run(_parser, parent, blocks) {
    const lines = (blocks.shift() ?? '').split('\n');
    const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(codeIndent));
    const count = end === -1 ? lines.length : end;
    const code = lines
      .slice(0, count)
      .map((line) => line.slice(codeIndent.length))
      .join('\n')
      .trimEnd();
    const sibling = parent.children.at(-1);
    if (sibling?.tag === 'pre') sibling.text += `\n${code}\n`;
    else appendElement(parent, 'pre', `${code}\n`);
    if (count < lines.length) blocks.unshift(lines.slice(count).join('\n'));
  },
};

const headingPattern = /(?:^|\n)(#{1,6})[^\S\n]([^\n]*)(?:\n|$)/;

/** Headings on any line of a block (reference facts, markdown 2.1). */
export const headingRule: BlockRule = {
  test: (_parser, _parent, block) => block.includes('#') && headingPattern.test(block),
  run(parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    const match = headingPattern.exec(block);
    if (match === null) return;
    const before = block.slice(0, match.index);
    const after = block.slice(match.index + match[0].length);
    if (before !== '') parser.parseBlocks(parent, [before]);
    const title = (match[2] ?? '').replace(/(?<!#)#+$/, '').trim();
    appendElement(parent, `h${(match[1] ?? '').length}`, title);
    if (after !== '') blocks.unshift(after);
  },
};

const rulePattern =
  /(?<![^\n]) {0,3}(?:-(?: {0,2}-){2,}|_(?: {0,2}_){2,}|\*(?: {0,2}\*){2,}) *(?![^\n])/;
const ruleHint = /[-_*] {0,2}[-_*]/;

/** Horizontal rules on any line of a block (reference facts, markdown 2.2). */
export const horizontalRule: BlockRule = {
  test: (_parser, _parent, block) => ruleHint.test(block) && rulePattern.test(block),
  run(parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    const match = rulePattern.exec(block);
    if (match === null) return;
    const before = block.slice(0, match.index).replace(/\n$/, '');
    const after = block.slice(match.index + match[0].length).replace(/^\n/, '');
    if (before !== '') parser.parseBlocks(parent, [before]);
    appendElement(parent, 'hr');
    if (after !== '') blocks.unshift(after);
  },
};

/** The steps for removing the marks, on each level again. */
const stepsPerQuotedCharacter = 2;
const quoteStart = /(?<![^\n]) {0,3}>/;
const lineWithText = /(?<![^\n])(?! {0,3}>\s*(?![^\n]))/;
/** The mark of a quoted line; a line with nothing else becomes blank. It is found quickly because it begins with a plain character. */
const quoteMark = /\n(?:[^\S\n]*>[^\S\n]*(?![^\n])| {0,3}> ?)/g;
const blankEnd = /(?<!\n)\n+$/;
/** A user or wildcard mention that is not silent yet. The text of a table's cell starts after a pipe. */
const loudMention = /(?<![^\s'"(,:<|])@(?=\*\*[^*\n]+\*\*)/gu;

/** The start of a block's quote part, or -1; markers without text are not a quote. */
function quoteIndex(block: string): number {
  if (!block.includes('>')) return -1;
  const index = block.search(quoteStart);
  return index !== -1 && lineWithText.test(block.slice(index)) ? index : -1;
}

/** Mentions in quotes are silent (reference facts, markdown 7). */
export function silenceMentions(text: string): string {
  return text.includes('@**') ? text.replaceAll(loudMention, '@_') : text;
}

/** The lines without their marks and without blank ones at the end. */
function unquotedLines(quote: string): string {
  return silenceMentions(`\n${quote}`.replaceAll(quoteMark, '\n').slice(1).replace(blankEnd, ''));
}

/**
 * Quotes, lazy to the end of their block and merged with a quote directly before (reference facts, markdown 2.5).
 */
export const quoteRule: BlockRule = {
  test: (_parser, _parent, block) => quoteIndex(block) !== -1,
  run(parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    const index = Math.max(quoteIndex(block), 0);
    const before = block.slice(0, index).replace(/\n$/, '');
    if (before !== '') parser.parseBlocks(parent, [before]);
    parser.spend((block.length - index) * stepsPerQuotedCharacter);
    const quoted = unquotedLines(block.slice(index));
    const sibling = parent.children.at(-1);
    const quote = sibling?.tag === 'blockquote' ? sibling : appendElement(parent, 'blockquote');
    parser.inState('blockquote', () => parser.parseText(quote, quoted));
  },
};

/** All other blocks: a paragraph up to a table (reference facts, markdown 2.9), or bare text in a tight list item (reference facts, markdown 2.3). */
export const paragraphRule: BlockRule = {
  test: () => true,
  run(parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    const text = block.trimStart();
    if (text === '') return;
    if (!parser.isState('list')) {
      const lines = text.split('\n');
      const tableAt = findTableBelow(lines);
      appendElement(parent, 'p', tableAt === -1 ? text : lines.slice(0, tableAt).join('\n'));
      if (tableAt !== -1) blocks.unshift(lines.slice(tableAt).join('\n'));
      return;
    }
    const sibling = parent.children.at(-1);
    if (sibling !== undefined) sibling.tail += `\n${block}`;
    else parent.text = parent.text === '' ? text : `${parent.text}\n${text}`;
  },
};
