import type { RenderContext } from './render-context.ts';
import { StepsExceeded } from './step-budget.ts';
import type { RenderEffort, StepBudget } from './step-budget.ts';

/** The users and groups that an element mentions. */
export type Mention = { kind: 'user' | 'group'; id: number } | { kind: 'wildcard' };

/**
 * The replacement of a piece of text by a pass. `content` of an element is text again, in which later passes may put further placeholders;
 * `source` represents finished HTML where only text is possible. A `mention` counts when the element is in the HTML, because a later pass
 * may drop it.
 */
export type InlineNode =
  | { kind: 'text'; text: string }
  | { kind: 'html'; html: string; source: string }
  | { kind: 'code'; code: string }
  | {
      kind: 'element';
      tag: string;
      attributes: [name: string, value: string][];
      content: string;
      mention?: Mention | undefined;
    }
  | { kind: 'void'; tag: string; attributes: [name: string, value: string][] };

/** The results of rendering one message, apart from the HTML. */
export type RenderFindings = {
  userIds: Set<number>;
  groupIds: Set<number>;
  mentionsWildcard: boolean;
  hasLink: boolean;
  hasImage: boolean;
  attachmentPathIds: Set<string>;
};

const firstPlaceholder = 0x10_0000;
const placeholderCount = 0xfffe;

/**
 * More HTML in one run than a whole message may have in UTF-16 units is useless (reference facts, markdown 15). Nodes that a later pass
 * drops are counted too, so the bound is double.
 */
const htmlMaxLength = 200_000;

/** The steps for making a node and its tokens. */
const stepsPerNode = 200;

/**
 * One text run while the passes process it (reference facts, markdown 3). A replaced piece is one private-use character of plane 16:
 * neither whitespace nor punctuation nor part of a word. It cannot be forged, because such characters in the source are replaced first.
 */
export class InlineRun {
  readonly context: RenderContext;
  readonly findings: RenderFindings;
  /** Lower-cased names in mentions of the whole message. */
  readonly mentionedNames: () => ReadonlySet<string>;
  readonly effort: RenderEffort;
  readonly #nodes: InlineNode[] = [];
  #htmlLength = 0;

  constructor(
    context: RenderContext,
    findings: RenderFindings,
    mentionedNames: () => ReadonlySet<string>,
    effort: RenderEffort,
  ) {
    this.context = context;
    this.findings = findings;
    this.mentionedNames = mentionedNames;
    this.effort = effort;
  }

  get budget(): StepBudget {
    return this.effort.budget;
  }

  /** @returns The placeholder of the node. */
  add(node: InlineNode): string {
    if (this.#nodes.length >= placeholderCount) throw new StepsExceeded('it has too many elements');
    this.budget.spend(stepsPerNode);
    this.#htmlLength += htmlLength(node);
    if (this.#htmlLength > htmlMaxLength) throw new StepsExceeded('the HTML is too long');
    this.#nodes.push(node);
    return String.fromCodePoint(firstPlaceholder + this.#nodes.length - 1);
  }

  /** The text between placeholders, and the nodes behind them, in order. */
  *pieces(content: string): Generator<string | InlineNode> {
    yield* this.#split(content, () => true);
  }

  /** The same, with nodes that are text in any case left in the text as placeholders. */
  *segments(content: string): Generator<string | InlineNode> {
    yield* this.#split(content, ({ kind }) => kind !== 'text');
  }

  *#split(
    content: string,
    standsApart: (node: InlineNode) => boolean,
  ): Generator<string | InlineNode> {
    let start = 0;
    for (const match of content.matchAll(placeholders)) {
      const node = this.#nodes[(match[0].codePointAt(0) ?? 0) - firstPlaceholder];
      if (node === undefined || !standsApart(node)) continue;
      if (match.index > start) yield content.slice(start, match.index);
      yield node;
      start = match.index + match[0].length;
    }
    if (start < content.length) yield content.slice(start);
  }

  /**
   * The content as a reader sees it.
   *
   * @param depth the number of elements around it
   */
  plainText(content: string, depth = 0): string {
    if (!hasPlaceholder(content)) return content;
    checkDepth(depth);
    let text = '';
    for (const piece of this.pieces(content)) {
      if (typeof piece === 'string') text += piece;
      else if (piece.kind === 'text') text += piece.text;
      else if (piece.kind === 'code') text += piece.code;
      else if (piece.kind === 'html') text += piece.source;
      else if (piece.kind === 'element') text += this.plainText(piece.content, depth + 1);
    }
    return text;
  }
}

/** Browsers show no deeper nesting, and the walks over nodes are recursive. */
const depthMax = 500;

/** @throws StepsExceeded if elements are nested too deeply */
export function checkDepth(depth: number): void {
  if (depth > depthMax) throw new StepsExceeded('the elements are nested too deep');
}

/** The known length that a node adds, apart from its content. */
function htmlLength(node: InlineNode): number {
  if (node.kind === 'html') return node.html.length;
  if (node.kind !== 'element' && node.kind !== 'void') return 0;
  let length = node.tag.length;
  for (const [name, value] of node.attributes) length += name.length + value.length;
  return length;
}

const placeholders = /[\u{100000}-\u{10FFFD}]/gu;

/** Cheap and exact: the high surrogates of plane 16. */
export function hasPlaceholder(content: string): boolean {
  return /[\uDBC0-\uDBFF]/.test(content);
}

/** Runs the later passes after `passIndex` over the content of an element that this pass made. */
export type RunLaterPasses = (content: string) => string;

/** Replaces its matches with placeholders. Must return the text itself without a match. */
export type InlinePass = (text: string, run: InlineRun, later: RunLaterPasses) => string;

/** The common left boundary of reference facts, markdown 3, as the source of a look-behind. */
export const leftBoundary = String.raw`(?<![^\s'"(,:<])`;

/** The characters of that boundary besides white space, for a character class. */
export const leftBoundaryCharacters = `'"(,:<`;

/** A word character of reference facts, markdown, as the source of a character class. */
export const wordClass = String.raw`\p{L}\p{N}_`;
