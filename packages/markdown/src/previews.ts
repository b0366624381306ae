import type { StateCore, Token } from 'markdown-it';

import { escapeAttribute } from './escaping.ts';
import type { RenderFindings } from './inline-run.ts';
import { findImage, findYoutubeId } from './preview-sources.ts';
import type { PreviewImage } from './preview-sources.ts';
import { findUploadPathId } from './url-rules.ts';

/** With more different links than this there are no previews (reference facts, markdown 6). */
const previewedLinksMax = 5;

type Place = 'paragraph' | 'item' | 'elsewhere';

type FoundLink = {
  href: string;
  text: string;
  place: Place;
  /** Index of the `inline` token with the link, and of the token that opens its block. */
  inlineIndex: number;
  blockOpen: number;
  /** Whether the link is the only content of its block. */
  isAlone: boolean;
  /** Whether it is in a spoiler, outside which its preview would show what is hidden. */
  isHidden: boolean;
};

function attribute(token: Token, name: string): string {
  return String(token.attrs?.find(([key]) => key === name)?.[1] ?? '');
}

/** The links of one text run; the text of a link is what a reader sees, for a formula its source. */
function linksOfRun(
  inline: Token,
): { href: string; text: string; isNested: boolean; isAlone: boolean }[] {
  const links: { href: string; text: string; isNested: boolean; isAlone: boolean }[] = [];
  const children = inline.children ?? [];
  let depth = 0;
  let open: { token: Token; text: string; depth: number } | undefined;
  for (const [index, token] of children.entries()) {
    if (token.nesting === -1) depth -= 1;
    if (open !== undefined && token.nesting === 0) {
      open.text += token.type === 'html_inline' ? token.info : token.content;
    }
    if (token.tag === 'a' && token.nesting === 1 && open === undefined) {
      open = { token, text: '', depth };
    } else if (token.tag === 'a' && token.nesting === -1 && open?.depth === depth) {
      links.push({
        href: attribute(open.token, 'href'),
        text: open.text,
        isNested: depth > 0,
        isAlone: children[0] === open.token && index === children.length - 1,
      });
      open = undefined;
    }
    if (token.nesting === 1) depth += 1;
  }
  return links;
}

/** The closing token of the block that opens at `index`. */
function closingIndex(tokens: readonly Token[], index: number): number {
  let depth = 0;
  for (let position = index; position < tokens.length; position += 1) {
    depth += tokens[position]?.nesting ?? 0;
    if (depth === 0) return position;
  }
  return tokens.length - 1;
}

/** All links outside quotes and headers of spoilers, in order; also records the message's links. */
function collectLinks(
  tokens: readonly Token[],
  realmUri: string,
  findings: RenderFindings,
): FoundLink[] {
  const found: FoundLink[] = [];
  const openBlocks: number[] = [];
  let quoteDepth = 0;
  let spoilerDepth = 0;
  let isHeader = false;
  for (const [inlineIndex, token] of tokens.entries()) {
    if (token.tag === 'blockquote') quoteDepth += token.nesting;
    if (token.type.startsWith('spoiler_')) {
      spoilerDepth += token.nesting;
      isHeader = token.type === 'spoiler_open';
    }
    if (token.nesting === 1) openBlocks.push(inlineIndex);
    if (token.nesting === -1) openBlocks.pop();
    if (token.type !== 'inline') continue;
    const blockOpen = openBlocks.at(-1) ?? 0;
    const tag = tokens[blockOpen]?.tag;
    for (const link of linksOfRun(token)) {
      findings.hasLink = true;
      const pathId = findUploadPathId(link.href, realmUri);
      if (pathId !== undefined) findings.attachmentPathIds.add(pathId);
      if (quoteDepth > 0 || isHeader) continue;
      let place: Place = 'elsewhere';
      if (!link.isNested && tag === 'p') place = 'paragraph';
      if (!link.isNested && tag === 'li') place = 'item';
      const isOnlyRun = blockOpen === inlineIndex - 1 && tokens[inlineIndex + 1]?.nesting === -1;
      found.push({
        href: link.href,
        text: link.text,
        place,
        inlineIndex,
        blockOpen,
        isAlone: link.isAlone && isOnlyRun,
        isHidden: spoilerDepth > 0,
      });
    }
  }
  return found;
}

function imageHtml(link: FoundLink, image: PreviewImage): string {
  const attributes =
    image.thumbnailUrl === undefined
      ? `src="${escapeAttribute(image.url)}"`
      : `data-src-fullsize="${image.thumbnailUrl}&amp;size=full" src="${image.thumbnailUrl}&amp;size=thumbnail"`;
  const href = escapeAttribute(image.href);
  const title = escapeAttribute(image.title ?? link.text);
  return `<div class="message_inline_image"><a href="${href}" target="_blank" title="${title}"><img ${attributes}></a></div>`;
}

function youtubeHtml(link: FoundLink): string | undefined {
  const id = findYoutubeId(link.href);
  if (id === undefined) return undefined;
  const href = escapeAttribute(link.href);
  return `<div class="youtube-video message_inline_image"><a data-id="${id}" href="${href}" target="_blank" title="${href}"><img src="https://i.ytimg.com/vi/${id}/default.jpg"></a></div>`;
}

/**
 * Records the message's links and adds previews to the finished tokens (reference facts, markdown 6 and 14).
 */
export function addPreviews(
  state: StateCore,
  realmUri: string,
  findings: RenderFindings,
  withPreviews: boolean,
): void {
  const { tokens } = state;
  const links = collectLinks(tokens, realmUri, findings);
  const unique = new Map<string, FoundLink>();
  for (const link of links) if (!unique.has(link.href)) unique.set(link.href, link);
  if (!withPreviews || unique.size === 0 || unique.size > previewedLinksMax) return;

  /** HTML to put after the token at an index. */
  const insertions = new Map<number, string>();
  const removed = new Set<number>();
  let atEnd = '';
  const insertAfter = (index: number, html: string): void => {
    insertions.set(index, (insertions.get(index) ?? '') + html);
  };

  for (const link of unique.values()) {
    const image = findImage(link.href);
    const html = image === undefined ? youtubeHtml(link) : imageHtml(link, image);
    const isAtEnd = image === undefined || link.place === 'elsewhere';
    if (html === undefined || (isAtEnd && link.isHidden)) continue;
    findings.hasImage = true;
    if (isAtEnd) {
      atEnd += html;
      continue;
    }
    const { blockOpen } = link;
    const blockClose = closingIndex(tokens, blockOpen);
    const disappears = link.isAlone && link.text === link.href && !image.keepsLink;
    if (link.place === 'paragraph') {
      insertAfter(blockClose, html);
      if (disappears)
        for (let index = blockOpen; index <= blockClose; index += 1) removed.add(index);
    } else {
      insertAfter(blockClose - 1, html);
      if (disappears) removed.add(link.inlineIndex);
    }
  }
  if (insertions.size === 0 && atEnd === '') return;

  const preview = (html: string): Token => {
    const token = new state.Token('html_block', '', 0);
    token.content = html;
    return token;
  };
  const output: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!removed.has(index)) output.push(token);
    const html = insertions.get(index);
    if (html !== undefined) output.push(preview(html));
  }
  if (atEnd !== '') output.push(preview(atEnd));
  state.tokens = output;
}
