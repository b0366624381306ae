import MarkdownIt from 'markdown-it';
import type { StateCore, Token } from 'markdown-it';

import { pushBlockTokens } from './block-tokens.ts';
import { escapeAttribute, escapeText } from './escaping.ts';
import { extractFences, textOfPage } from './fences.ts';
import type { StashedBlock } from './fences.ts';
import { InlineRun } from './inline-run.ts';
import type { RenderFindings } from './inline-run.ts';
import { pushInlineTokens } from './inline-tokens.ts';
import { addPreviews } from './previews.ts';
import type { RenderContext } from './render-context.ts';
import type { RenderEffort } from './step-budget.ts';
import { normalisedLines, separateHangingLists } from './source-lines.ts';

/** One rendering; the rules pass it along in markdown-it's `env`. */
export type Rendering = {
  context: RenderContext;
  findings: RenderFindings;
  withPreviews: boolean;
  mentionedNames: () => ReadonlySet<string>;
  stash: StashedBlock[];
  effort: RenderEffort;
};

function renderingOf(state: StateCore): Rendering {
  return (state.env as { rendering: Rendering }).rendering;
}

/** The line passes: hanging lists, whitespace, fences (reference facts, markdown 1). */
function preparedSource(content: string, stash: StashedBlock[]): string {
  return textOfPage(extractFences(separateHangingLists(normalisedLines(content)), stash));
}

function normaliseRule(state: StateCore): void {
  state.src = preparedSource(state.src, renderingOf(state).stash);
}

function blockRule(state: StateCore): void {
  const { stash, effort } = renderingOf(state);
  pushBlockTokens(state, state.src, stash, effort);
}

function inlineRule(state: StateCore): void {
  const { context, findings, mentionedNames, stash, effort } = renderingOf(state);
  for (const token of state.tokens) {
    if (token.type !== 'inline') continue;
    const run = new InlineRun(context, findings, mentionedNames, effort);
    pushInlineTokens(state, token, run, stash);
  }
}

function previewRule(state: StateCore): void {
  const { context, findings, withPreviews } = renderingOf(state);
  addPreviews(state, context.realmUri, findings, withPreviews);
}

/** Attributes in alphabetical order (reference facts, markdown 1.2). */
function renderAttributes(token: Pick<Token, 'attrs'>): string {
  if (token.attrs === null) return '';
  const sorted = token.attrs.toSorted(([first], [second]) => (first < second ? -1 : 1));
  let html = '';
  for (const [name, value] of sorted) html += ` ${name}="${escapeAttribute(String(value))}"`;
  return html;
}

function renderToken(tokens: Token[], index: number): string {
  const token = tokens[index];
  if (token === undefined) return '';
  if (token.nesting === -1) return `</${token.tag}>${token.markup}`;
  return `<${token.tag}${renderAttributes(token)}>${token.markup}`;
}

/**
 * markdown-it with its core chain replaced rule by rule, because the message syntax shares almost nothing with CommonMark (reference facts,
 * markdown 18). Tokens and rendering are markdown-it's.
 */
function createRenderer(): InstanceType<typeof MarkdownIt> {
  const md = new MarkdownIt('zero', { html: false, xhtmlOut: false, breaks: true });
  md.core.ruler.at('normalize', normaliseRule);
  md.core.ruler.at('block', blockRule);
  md.core.ruler.at('inline', inlineRule);
  md.core.ruler.after('inline', 'link_previews', previewRule);
  md.core.ruler.enableOnly(['normalize', 'block', 'inline', 'link_previews']);
  md.renderer.renderAttrs = renderAttributes;
  md.renderer.renderToken = renderToken;
  const content = (tokens: Token[], index: number): string => tokens[index]?.content ?? '';
  Object.assign(md.renderer.rules, {
    text: (tokens: Token[], index: number) => escapeText(content(tokens, index)),
    code_inline: (tokens: Token[], index: number) =>
      `<code>${escapeText(content(tokens, index))}</code>`,
    br: () => '<br>\n',
    html_inline: content,
    html_block: content,
    spoiler_open: () => '<div class="spoiler-block"><div class="spoiler-header">\n',
    spoiler_content: () => '</div><div class="spoiler-content" aria-hidden="true">\n',
    spoiler_close: () => '</div></div>\n\n',
  });
  return md;
}

const renderer = createRenderer();

/** Renders with all rules; the caller catches errors. */
export function renderWithRules(content: string, rendering: Rendering): string {
  return renderer.render(content, { rendering }).trim();
}
