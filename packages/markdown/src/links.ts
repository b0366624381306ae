import { hasPlaceholder } from './inline-run.ts';
import type { InlinePass, InlineRun } from './inline-run.ts';
import { linkHref, linkTitle } from './url-rules.ts';

/** An address is processed several times before it is accepted. */
const stepsPerUrlCharacter = 20;

type LinkTarget = { url: string; end: number };

/** For every opening bracket the index of its closing bracket. */
function matchBrackets(text: string, opening: string, closing: string): Map<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === opening) {
      open.push(index);
    } else if (text[index] === closing) {
      const start = open.pop();
      if (start !== undefined) closings.set(start, index);
    }
  }
  return closings;
}

const angleTarget = /\(\s*<([^<>]*)>\s*(?:(?:'[^']*'|"[^"]*")\s*)?\)/y;

/** The position of the first quote of a title, and the end of its link. */
type Title = { start: number; end: number };

const titleMark = /["']\s*\)|["'()]/g;

/**
 * For every opening parenthesis the title after the first quote in it, without quotes in inner parentheses. A title may contain
 * parentheses, so it ends at the next such quote directly before a closing one, and only this determines the end of the link.
 */
function findTitles(text: string): Map<number, Title> {
  const marks = [...text.matchAll(titleMark)];
  const ends = new Map<number, number>();
  const nearest = new Map<string, number>();
  for (const { 0: mark, index } of marks.toReversed()) {
    const end = nearest.get(mark.charAt(0));
    if (end !== undefined) ends.set(index, end);
    if (mark.length > 1) nearest.set(mark.charAt(0), index + mark.length);
  }
  const titles = new Map<number, Title>();
  const open: { start: number; hasQuote: boolean }[] = [];
  for (const { 0: mark, index } of marks) {
    const inner = open.at(-1);
    if (mark === '(') {
      open.push({ start: index, hasQuote: false });
    } else if (mark !== ')' && inner?.hasQuote === false) {
      inner.hasQuote = true;
      const end = ends.get(index);
      if (end !== undefined) titles.set(inner.start, { start: index, end });
    }
    if (mark.endsWith(')')) open.pop();
  }
  return titles;
}

/**
 * Reads `(url "title")` from an opening parenthesis on. Parentheses in the URL balance; a quoted title directly before the closing one is
 * dropped.
 *
 * @param closing Where the parentheses balance; undefined if they never do.
 */
function findTarget(
  text: string,
  start: number,
  closing: number | undefined,
  title: Title | undefined,
): LinkTarget | undefined {
  angleTarget.lastIndex = start;
  const angle = angleTarget.exec(text);
  if (angle !== null) return { url: (angle[1] ?? '').trim(), end: angleTarget.lastIndex };
  const urlUntil = (end: number): string => text.slice(start + 1, end).trim();
  if (title !== undefined) return { url: urlUntil(title.start), end: title.end };
  return closing === undefined ? undefined : { url: urlUntil(closing), end: closing + 1 };
}

/** The attributes of any link that the URL rules accept. */
function linkAttributes(href: string, hasTarget: boolean): [name: string, value: string][] {
  const title: [string, string] = ['title', linkTitle(href)];
  return hasTarget ? [['href', href], ['target', '_blank'], title] : [['href', href], title];
}

/** A link that the renderer found in the text, with the text as its label; undefined if rejected. */
export function addFoundLink(run: InlineRun, url: string, content: string): string | undefined {
  const href = linkHref(url, run.context.realmUri);
  if (href === undefined) return undefined;
  const hasTarget = !href.startsWith('#narrow') && !href.startsWith('mailto:');
  return run.add({
    kind: 'element',
    tag: 'a',
    attributes: linkAttributes(href, hasTarget),
    content,
  });
}

/** `[text](url)` (reference facts, markdown 4.4). Replacements by earlier passes in the text stay. */
export const namedLinks: InlinePass = (text, run) => {
  const closings = matchBrackets(text, '[', ']');
  const parentheses = matchBrackets(text, '(', ')');
  const titles = findTitles(text);
  let output = '';
  let copied = 0;
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', start + 1)) {
    if (start < copied || text[start - 1] === '!') continue;
    const closing = closings.get(start);
    if (closing === undefined || text[closing + 1] !== '(') continue;
    const opening = closing + 1;
    const target = findTarget(text, opening, parentheses.get(opening), titles.get(opening));
    if (target === undefined) continue;
    run.budget.spend(target.url.length * stepsPerUrlCharacter);
    if (hasPlaceholder(target.url)) continue;
    const href = linkHref(target.url, run.context.realmUri);
    if (href === undefined) continue;
    const label = text.slice(start + 1, closing);
    const content = label.trim() === '' ? run.add({ kind: 'text', text: href }) : label;
    const attributes = linkAttributes(href, !href.startsWith('#'));
    output +=
      text.slice(copied, start) + run.add({ kind: 'element', tag: 'a', attributes, content });
    copied = target.end;
  }
  return copied === 0 ? text : output + text.slice(copied);
};
