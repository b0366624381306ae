import type { StateCore, Token } from 'markdown-it';

import type { StashedBlock } from './fences.ts';
import { findLinksAgain, runInlinePasses } from './inline-passes.ts';
import { checkDepth } from './inline-run.ts';
import type { InlineNode, InlineRun, Mention, RenderFindings } from './inline-run.ts';

function noteMention(findings: RenderFindings, mention: Mention): void {
  if (mention.kind === 'wildcard') findings.mentionsWildcard = true;
  else if (mention.kind === 'user') findings.userIds.add(mention.id);
  else findings.groupIds.add(mention.id);
}

const emphasisTags = new Set(['strong', 'em', 'del']);

const isBreak = (piece: string | InlineNode | undefined): boolean =>
  typeof piece === 'object' && piece.kind === 'void' && piece.tag === 'br';

/**
 * Parses one text run into the children of its markdown-it `inline` token.
 *
 * @param stash Finished blocks; a mark without a separate block is replaced in place.
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

  /** `emphasis` is the number of emphasis elements around it, if there are no others. */
  const pushNode = (node: InlineNode, depth: number, emphasis: number | undefined): void => {
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
        pushContent(
          node.content,
          depth + 1,
          emphasis === undefined || !emphasisTags.has(node.tag) ? undefined : emphasis + 1,
        );
        push(`${node.tag}_close`, node.tag, -1);
        break;
    }
  };

  const pushText = (text: string, depth: number): void => {
    for (const piece of run.pieces(text)) {
      if (typeof piece === 'string') push('text', '', 0).content = piece;
      else pushNode(piece, depth, undefined);
    }
  };

  const pushContent = (content: string, depth: number, emphasis: number | undefined): void => {
    checkDepth(depth);
    const segments = [...run.segments(content)];
    for (const [index, segment] of segments.entries()) {
      if (typeof segment !== 'string') {
        pushNode(segment, depth, emphasis);
      } else if (segment.trim() !== '' || !isBreak(segments[index - 1])) {
        // Text after the beginning of an outermost element is a separate run (reference facts, markdown 3).
        const isOwnRun = emphasis !== undefined && emphasis > (index === 0 ? 1 : 0);
        pushText(isOwnRun ? findLinksAgain(segment, run) : segment, depth);
      }
    }
  };

  pushContent(runInlinePasses(inline.content, run, stash), 0, 0);
  inline.children = children;
}
