import { hasPlaceholder } from './inline-run.ts';
import type { InlinePass, InlineRun } from './inline-run.ts';
import type { StepBudget } from './step-budget.ts';
import { linkHref, linkTitle } from './url-rules.ts';

/** What a quote or parenthesis costs that is looked at again for another link. */
const stepsPerMark = 10;

/** An address is looked at several times until it is known to be one. */
const stepsPerUrlCharacter = 20;

type LinkTarget = { url: string; end: number };

/** For every opening bracket the index of the bracket that closes it. */
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

/** The end of a quoted title that begins at a quote, with the closing parenthesis; or -1. */
function titleEnd(text: string, quote: number): number {
  const pattern = text[quote] === '"' ? /"\s*\)/g : /'\s*\)/g;
  pattern.lastIndex = quote + 1;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * Reads `(url "title")` from an opening parenthesis on. Parentheses in the URL balance; a quoted
 * title right before the closing one is dropped.
 *
 * @param closing Where the parentheses balance; undefined when they never do.
 */
function findTarget(
  text: string,
  start: number,
  closing: number | undefined,
  budget: StepBudget,
): LinkTarget | undefined {
  angleTarget.lastIndex = start;
  const angle = angleTarget.exec(text);
  if (angle !== null) return { url: (angle[1] ?? '').trim(), end: angleTarget.lastIndex };
  const urlUntil = (end: number): string => text.slice(start + 1, end).trim();
  // A title may hold parentheses, so only its quote tells where the URL ends.
  let depth = 0;
  const scanEnd = closing ?? text.length;
  const quotes = /["'()]/g;
  quotes.lastIndex = start;
  for (let match = quotes.exec(text); match !== null; match = quotes.exec(text)) {
    if (match.index >= scanEnd) break;
    budget.spend(stepsPerMark);
    if (match[0] === '(') {
      depth += 1;
    } else if (match[0] === ')') {
      depth -= 1;
    } else if (depth === 1) {
      const end = titleEnd(text, match.index);
      budget.spend((end === -1 ? text.length : end) - match.index);
      if (end !== -1) return { url: urlUntil(match.index), end };
      break;
    }
  }
  return closing === undefined ? undefined : { url: urlUntil(closing), end: closing + 1 };
}

/** The attributes of any link that passed the URL rules. */
export function linkAttributes(href: string, hasTarget: boolean): [name: string, value: string][] {
  const title: [string, string] = ['title', linkTitle(href)];
  return hasTarget ? [['href', href], ['target', '_blank'], title] : [['href', href], title];
}

/** A link that the renderer found in the text, with the text as its label; undefined when rejected. */
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

/** `[text](url)` (reference facts, markdown 4.4). What earlier passes replaced in the text stays. */
export const namedLinks: InlinePass = (text, run) => {
  const closings = matchBrackets(text, '[', ']');
  const parentheses = matchBrackets(text, '(', ')');
  const hasQuotes = /["']/.test(text);
  let output = '';
  let copied = 0;
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', start + 1)) {
    if (start < copied || text[start - 1] === '!') continue;
    const closing = closings.get(start);
    if (closing === undefined || text[closing + 1] !== '(') continue;
    const balanced = parentheses.get(closing + 1);
    if (balanced === undefined && !hasQuotes && !text.includes('<', closing)) continue;
    const target = findTarget(text, closing + 1, balanced, run.budget);
    if (target === undefined || hasPlaceholder(target.url)) continue;
    run.budget.spend(target.url.length * stepsPerUrlCharacter);
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
