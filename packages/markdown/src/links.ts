import { hasPlaceholder } from './inline-run.ts';
import type { InlinePass, InlineRun } from './inline-run.ts';
import type { StepBudget } from './step-budget.ts';
import { linkHref, linkTitle } from './url-rules.ts';

type LinkTarget = { url: string; end: number };

/** For every opening bracket the index of the bracket that closes it. */
function matchBrackets(text: string): Map<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '[') {
      open.push(index);
    } else if (text[index] === ']') {
      const opening = open.pop();
      if (opening !== undefined) closings.set(opening, index);
    }
  }
  return closings;
}

const angleTarget = /\(\s*<([^<>]*)>\s*(?:(?:'[^']*'|"[^"]*")\s*)?\)/y;

/**
 * Reads `(url "title")` from an opening parenthesis on. Parentheses in the URL balance; a quoted
 * title right before the closing one is dropped.
 */
function findTarget(text: string, start: number, budget: StepBudget): LinkTarget | undefined {
  angleTarget.lastIndex = start;
  const angle = angleTarget.exec(text);
  if (angle !== null) return { url: (angle[1] ?? '').trim(), end: angleTarget.lastIndex };
  let depth = 0;
  let quotesHopeful = true;
  for (let index = start; index < text.length; index += 1) {
    budget.spend(1);
    const character = text[index];
    if (character === '(') {
      depth += 1;
    } else if (character === ')') {
      depth -= 1;
      if (depth === 0) return { url: text.slice(start + 1, index).trim(), end: index + 1 };
    } else if (quotesHopeful && depth === 1 && (character === '"' || character === "'")) {
      const closing = character === '"' ? /"\s*\)/g : /'\s*\)/g;
      closing.lastIndex = index + 1;
      if (closing.test(text)) {
        return { url: text.slice(start + 1, index).trim(), end: closing.lastIndex };
      }
      quotesHopeful = false;
    }
  }
  return undefined;
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
  const closings = matchBrackets(text);
  let output = '';
  let copied = 0;
  for (let start = text.indexOf('['); start !== -1; start = text.indexOf('[', start + 1)) {
    if (start < copied || text[start - 1] === '!') continue;
    const closing = closings.get(start);
    if (closing === undefined || text[closing + 1] !== '(') continue;
    const target = findTarget(text, closing + 1, run.budget);
    if (target === undefined || hasPlaceholder(target.url)) continue;
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
