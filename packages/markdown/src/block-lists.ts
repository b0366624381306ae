import { appendElement, createElement, wrapTextInParagraph } from './block-tree.ts';
import type { BlockElement, BlockParser, BlockRule } from './block-tree.ts';

/** Spaces per list level (reference facts, markdown 2.4). */
const levelWidth = 2;
const levelIndent = ' '.repeat(levelWidth);
const nestedItem = /^ {2,3}(?:[0-9]+\.|[*+-]) +/;

const isList = (element: BlockElement | undefined): boolean =>
  element?.tag === 'ul' || element?.tag === 'ol';

/** Joins the lines of a block to items; an indented run of lines is an item that belongs to the previous one. */
function splitItems(lines: readonly string[], marker: RegExp): string[] {
  const items: string[][] = [];
  for (const line of lines) {
    const last = items.at(-1);
    const match = marker.exec(line);
    if (match !== null || last === undefined) {
      items.push([match === null ? line : line.slice(match[0].length)]);
    } else if (nestedItem.test(line) && last[0]?.startsWith(levelIndent) !== true) {
      items.push([line]);
    } else {
      last.push(line);
    }
  }
  return items.map((lines) => lines.join('\n'));
}

function lastItem(list: BlockElement): BlockElement {
  return list.children.at(-1) ?? appendElement(list, 'li');
}

/** The last item of a list and the first of the next block are both loose. */
function continueLooseList(parser: BlockParser, list: BlockElement, firstItem: string): void {
  const previous = lastItem(list);
  wrapTextInParagraph(previous);
  const lastChild = previous.children.at(-1);
  if (lastChild !== undefined && lastChild.tail !== '') {
    previous.children.push(createElement('p', lastChild.tail.trimStart()));
    lastChild.tail = '';
  }
  const item = appendElement(list, 'li');
  parser.inState('looselist', () => parser.parseBlocks(item, [firstItem]));
}

function listRule(tag: 'ul' | 'ol', marker: RegExp): BlockRule {
  return {
    test: (_parser, _parent, block) => marker.test(block),
    run(parser, parent, blocks) {
      const block = blocks.shift() ?? '';
      let items = splitItems(parser.linesOf(block), marker);
      const sibling = parent.children.at(-1);
      let list: BlockElement;
      if (sibling?.tag === tag) {
        list = sibling;
        continueLooseList(parser, list, items[0] ?? '');
        items = items.slice(1);
      } else if (isList(parent)) {
        list = parent;
      } else {
        list = appendElement(parent, tag);
        const start = /[0-9]+/.exec(marker.exec(block)?.[0] ?? '')?.[0];
        if (start !== undefined && start !== '1') list.attributes.push(['start', start]);
      }
      parser.inState('list', () => {
        for (const item of items) {
          const isNested = item.startsWith(levelIndent);
          parser.parseBlocks(isNested ? lastItem(list) : appendElement(list, 'li'), [item]);
        }
      });
    },
  };
}

export const orderedListRule = listRule('ol', /^ ?[0-9]+\. +/);
export const bulletListRule = listRule('ul', /^ ?[*+-] +/);

/** The element that an indented block belongs to, and its number of levels of indent. */
function indentTarget(
  parser: BlockParser,
  parent: BlockElement,
  block: string,
): { level: number; target: BlockElement } {
  const spaces = /^ */.exec(block)?.[0].length ?? 0;
  const indentLevel = Math.floor(spaces / levelWidth);
  let level = parser.isState('list') ? 1 : 0;
  let target = parent;
  while (indentLevel > level) {
    const child = target.children.at(-1);
    if (child === undefined || !(isList(child) || child.tag === 'li')) break;
    if (isList(child)) level += 1;
    target = child;
  }
  return { level, target };
}

/** Paragraphs and nested lists of a list item (reference facts, markdown 2.4). */
export const listIndentRule: BlockRule = {
  test: (parser, parent, block) =>
    block.startsWith(levelIndent) &&
    !parser.isState('detabbed') &&
    (parent.tag === 'li' || isList(parent.children.at(-1))),
  run(parser, parent, blocks) {
    const block = blocks.shift() ?? '';
    const { level, target } = indentTarget(parser, parent, block);
    const indent = levelIndent.repeat(level);
    const text = parser
      .linesOf(block)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join('\n');
    parser.inState('detabbed', () => {
      if (parent.tag === 'li') {
        const lastChild = parent.children.at(-1);
        const inList = lastChild !== undefined && isList(lastChild);
        parser.parseBlocks(inList ? lastChild : parent, [text]);
      } else if (target.tag === 'li') {
        parser.parseBlocks(target, [text]);
      } else {
        const item = lastItem(target);
        wrapTextInParagraph(item);
        parser.parseText(item, text);
      }
    });
  },
};
