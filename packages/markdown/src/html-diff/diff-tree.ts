import { splitHtml, voidTags } from './html-pieces.ts';

/** Text keeps its entities. */
type Node = Element | string;
type Element = { readonly tag: string; readonly attributes: string; readonly children: Node[] };

const blockTags = new Set(
  'address blockquote center div dl form h1 h2 h3 h4 h5 h6 hr ol p pre table ul dd dt li tbody td tfoot th thead tr'.split(
    ' ',
  ),
);
/** Blocks that contain only text. */
const textBlockTags = new Set('p h1 h2 h3 h4 h5 h6'.split(' '));
const listTags = new Set(['ul', 'ol']);

/** Deeper tags are dropped; renderings nest less, and the functions below are recursive. */
const depthMax = 1000;

/** The depth at which an opening tag closes open elements, or undefined. */
function impliedEnd(open: readonly Element[], tag: string): number | undefined {
  for (let depth = open.length - 1; depth > 0; depth -= 1) {
    const name = open[depth]?.tag ?? '';
    if (name === tag) return depth;
    // Elements with a mark inside are split later, when nothing can fall out of the mark.
    if (name === 'ins' || name === 'del') return undefined;
    if (tag === 'li' ? listTags.has(name) : blockTags.has(name)) return undefined;
  }
  return undefined;
}

/** Makes a tree of any tags: unknown ends are ignored, missing ones are added. */
function parse(html: string): Element {
  const root: Element = { tag: '', attributes: '', children: [] };
  const open: Element[] = [root];
  let dropped = 0;
  for (const piece of splitHtml(html)) {
    const parent = open.at(-1) ?? root;
    if (piece.kind === 'text') {
      parent.children.push(piece.text);
    } else if (piece.kind === 'open') {
      if (piece.tag === 'p' || piece.tag === 'li') {
        const end = impliedEnd(open, piece.tag);
        if (end !== undefined) open.length = end;
      }
      const isVoid = voidTags.has(piece.tag);
      if (!isVoid && open.length > depthMax) {
        dropped += 1;
        continue;
      }
      const element: Element = { tag: piece.tag, attributes: piece.attributes, children: [] };
      (open.at(-1) ?? root).children.push(element);
      if (!isVoid) open.push(element);
    } else if (dropped > 0) {
      dropped -= 1;
    } else {
      const depth = open.findLastIndex((element) => element.tag === piece.tag);
      if (depth > 0) open.length = depth;
    }
  }
  return root;
}

const isBlank = (node: Node): boolean => typeof node === 'string' && node.trim() === '';
const isMark = ({ tag }: Element): boolean => tag === 'ins' || tag === 'del';

/** The elements that are blocks or contain some. */
function findBlockHolders(root: Element): Set<Element> {
  const holders = new Set<Element>();
  const visit = (element: Element): boolean => {
    let holds = blockTags.has(element.tag);
    for (const child of element.children) {
      if (typeof child !== 'string' && visit(child)) holds = true;
    }
    if (holds) holders.add(element);
    return holds;
  };
  visit(root);
  return holders;
}

const isEmptyMark = (element: Element): boolean =>
  isMark(element) && element.children.every(isBlank);

/** A deleted block may be in a paragraph now, where no block may be. */
function splitAtBlocks(element: Element, children: readonly Node[]): Node[] {
  const output: Node[] = [];
  let inline: Node[] = [];
  const flush = (): void => {
    if (inline.every(isBlank)) output.push(...inline);
    else output.push({ ...element, children: inline });
    inline = [];
  };
  for (const child of children) {
    if (typeof child === 'string' || !blockTags.has(child.tag)) {
      inline.push(child);
    } else {
      flush();
      output.push(child);
    }
  }
  flush();
  return output;
}

/** Moves marks into blocks, because none may wrap a block (reference facts, markdown 16.5). */
function markedChildren(
  element: Element,
  holders: ReadonlySet<Element>,
  mark: string | undefined,
): Node[] {
  const children: Node[] = [];
  let inline: Node[] = [];
  const flush = (): void => {
    const shown = inline.filter((node) => typeof node === 'string' || !isEmptyMark(node));
    if (mark === undefined || shown.every(isBlank)) children.push(...shown);
    else children.push({ tag: mark, attributes: '', children: shown });
    inline = [];
  };
  for (const child of element.children) {
    if (typeof child === 'string' || !holders.has(child)) {
      inline.push(child);
      continue;
    }
    flush();
    const inner = markedChildren(child, holders, mark ?? (isMark(child) ? child.tag : undefined));
    if (isMark(child)) children.push(...inner);
    else if (textBlockTags.has(child.tag)) children.push(...splitAtBlocks(child, inner));
    else children.push({ ...child, children: inner });
  }
  flush();
  return children;
}

const classOf: Readonly<Record<string, string>> = {
  ins: 'highlight_text_inserted',
  del: 'highlight_text_deleted',
};

function writeNode(node: Node, output: string[]): void {
  if (typeof node === 'string') {
    output.push(node.replaceAll('>', '&gt;'));
    return;
  }
  const { tag, attributes, children } = node;
  const markClass = classOf[tag];
  const name = markClass === undefined ? tag : 'span';
  output.push(`<${name}${markClass === undefined ? attributes : ` class="${markClass}"`}>`);
  for (const child of children) writeNode(child, output);
  if (!voidTags.has(tag)) output.push(`</${name}>`);
}

/** Writes the chunks of a difference as balanced HTML of one element (reference facts, markdown 16.5 and 16.6). */
export function writeDiff(html: string): string {
  const root = parse(html);
  const children = markedChildren(root, findBlockHolders(root), undefined);
  const output: string[] = [];
  for (const child of children) writeNode(child, output);
  const visible = children.filter((child) => !isBlank(child));
  const isOne = visible.length === 1 && typeof visible[0] !== 'string';
  const inner = output.join('').trim();
  const written = isOne || inner === '' ? inner : `<div>${inner}</div>`;
  return written.replaceAll(
    /[\u{80}-\u{10FFFF}]/gu,
    (character) => `&#${character.codePointAt(0) ?? 0};`,
  );
}
