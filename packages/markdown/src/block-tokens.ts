import type { StateCore, Token } from 'markdown-it';

import { bulletListRule, listIndentRule, orderedListRule } from './block-lists.ts';
import {
  emptyRule,
  headingRule,
  horizontalRule,
  indentedCodeRule,
  paragraphRule,
  quoteRule,
} from './block-rules.ts';
import { tableRule } from './block-tables.ts';
import { BlockParser, createElement } from './block-tree.ts';
import type { BlockElement } from './block-tree.ts';
import { codeBlockHtml } from './code-blocks.ts';
import { stashedHtml, wholeStashMark } from './fences.ts';
import type { StashedBlock } from './fences.ts';
import type { RenderEffort } from './step-budget.ts';

/** The order of the rules for a block (reference facts, markdown 2). */
const blockRules = [
  emptyRule,
  indentedCodeRule,
  headingRule,
  tableRule,
  horizontalRule,
  orderedListRule,
  bulletListRule,
  listIndentRule,
  quoteRule,
];

/** Three newlines follow code; the strip removes them at the end (reference facts, markdown 1.2). */
const newlinesAfterCode = '\n\n\n';

/**
 * Parses lines without fences into markdown-it block tokens. `markup` of an open or close token is the newline after the tag, which is
 * decided before previews move anything.
 */
export function pushBlockTokens(
  state: StateCore,
  source: string,
  stash: readonly StashedBlock[],
  effort: RenderEffort,
): void {
  const push = (type: string, tag: string, nesting: 1 | 0 | -1): Token => {
    const token = new state.Token(type, tag, nesting);
    token.block = true;
    state.tokens.push(token);
    return token;
  };

  const pushText = (text: string): void => {
    if (text === '') return;
    const token = push('inline', '', 0);
    token.content = text;
    token.children = [];
  };

  const pushCode = (html: string): void => {
    push('html_block', '', 0).content = html + newlinesAfterCode;
  };

  const pushPage = (text: string): void => {
    const root = createElement('div');
    new BlockParser(blockRules, paragraphRule, effort.budget).parseText(root, text);
    for (const child of root.children) pushElement(child);
  };

  const pushElement = (element: BlockElement): void => {
    const { tag } = element;
    const newlineAfter = element.tail.trim() === '' ? '\n' : '';
    if (tag === 'pre') {
      pushCode(codeBlockHtml(element.text, '', effort));
    } else if (tag === 'hr') {
      push('hr', 'hr', 0).markup = newlineAfter;
    } else {
      const mark = tag === 'p' ? wholeStashMark.exec(element.text) : null;
      const stashed = mark === null ? undefined : stash[Number(mark[1])];
      if (stashed?.kind === 'code') {
        pushCode(stashedHtml(stashed, effort));
      } else if (stashed?.kind === 'spoiler') {
        push('spoiler_open', 'div', 1);
        pushPage(stashed.info);
        push('spoiler_content', 'div', 0);
        pushPage(stashed.text);
        push('spoiler_close', 'div', -1);
      } else {
        const open = push(`${tag}_open`, tag, 1);
        if (element.attributes.length > 0) open.attrs = element.attributes;
        if (element.text.trim() === '' && element.children.length > 0) open.markup = '\n';
        pushText(element.text);
        for (const child of element.children) pushElement(child);
        push(`${tag}_close`, tag, -1).markup = newlineAfter;
      }
    }
    if (newlineAfter === '') pushText(element.tail);
  };

  pushPage(source);
}
