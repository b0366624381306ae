import type { StateCore, Token } from 'markdown-it';

import type { StashedBlock } from './fences.ts';
import { runInlinePasses } from './inline-passes.ts';
import { checkDepth } from './inline-run.ts';
import type { InlineNode, InlineRun, Mention, RenderFindings } from './inline-run.ts';

function noteMention(findings: RenderFindings, mention: Mention): void {
  if (mention.kind === 'wildcard') findings.mentionsWildcard = true;
  else if (mention.kind === 'user') findings.userIds.add(mention.id);
  else findings.groupIds.add(mention.id);
}

/**
 * Parses one text run into the children of its markdown-it `inline` token.
 *
 * @param stash Finished blocks; a mark that did not get a block of its own is replaced in place.
 */
export function pushInlineTokens(
  state: StateCore,
  inline: Token,
  run: InlineRun,
  stash: readonly StashedBlock[],
): void {
  const children: Token[] = [];
  const push = (type: string, tag: string, nesting: 1 | 0 | -1): Token => {
    const token = new state.Token(type, tag, nesting);
    children.push(token);
    return token;
  };

  const pushNode = (node: InlineNode, depth: number): void => {
    switch (node.kind) {
      case 'text':
        push('text', '', 0).content = node.text;
        break;
      case 'html': {
        const token = push('html_inline', '', 0);
        token.content = node.html;
        token.info = node.source;
        break;
      }
      case 'code':
        push('code_inline', 'code', 0).content = node.code;
        break;
      case 'void':
        push(node.tag, node.tag, 0).attrs = node.attributes;
        break;
      case 'element':
        if (node.mention !== undefined) noteMention(run.findings, node.mention);
        push(`${node.tag}_open`, node.tag, 1).attrs = node.attributes;
        pushContent(node.content, depth + 1);
        push(`${node.tag}_close`, node.tag, -1);
        break;
    }
  };

  const pushContent = (content: string, depth: number): void => {
    checkDepth(depth);
    for (const piece of run.pieces(content)) {
      if (typeof piece === 'string') push('text', '', 0).content = piece;
      else pushNode(piece, depth);
    }
  };

  pushContent(runInlinePasses(inline.content, run, stash), 0);
  inline.children = children;
}
