import { hasPlaceholder } from './inline-run.ts';
import type { InlinePass } from './inline-run.ts';
import { compileLinkifierPattern } from './linkifier-pattern.ts';
import type { LinkifierPattern } from './linkifier-pattern.ts';
import { addFoundLink } from './links.ts';
import type { Linkifier } from './render-context.ts';
import type { StepBudget } from './step-budget.ts';

export type CompiledLinkifier = LinkifierPattern & { readonly urlFormat: string };

export type LinkifierMatch = {
  readonly start: number;
  readonly end: number;
  readonly groups: ReadonlyMap<string, string>;
};

/** Each realm's list is compiled once; a changed realm has a new array. */
const listsByRealm = new WeakMap<readonly Linkifier[], CompiledLinkifier[]>();

/** The expressions of a realm, in its order, except those that do not compile. */
export function compileLinkifiers(linkifiers: readonly Linkifier[]): CompiledLinkifier[] {
  const known = listsByRealm.get(linkifiers);
  if (known !== undefined) return known;
  const list = linkifiers.flatMap(({ pattern, urlFormat }) => {
    const compiled = compileLinkifierPattern(pattern);
    return compiled === undefined ? [] : [{ ...compiled, urlFormat }];
  });
  listsByRealm.set(linkifiers, list);
  return list;
}

/** Fills `%(name)s` with the groups of a match. */
export function fillUrl(urlFormat: string, { groups }: LinkifierMatch): string {
  return urlFormat.replaceAll(
    /%(?:\(([A-Za-z_][A-Za-z0-9_]*)\)s|%)/g,
    (whole, name: string | undefined) => (name === undefined ? '%' : (groups.get(name) ?? whole)),
  );
}

/** The cost of searching a first match for each character and instruction: for most characters it skips most instructions. */
const stepsToSearch = 0.5;
/** The cost of a search of any text, because many short runs are as many searches. */
const stepsPerSearch = 150;
/** The cost of following all possible continuations of a match, likewise; only wide patterns have any beyond the match. */
const stepsToFollow = 4;
/** The cost of reading the groups of a match. */
const stepsPerMatch = 4000;

/**
 * All matches of a linkifier, between its boundaries (reference facts, markdown 12), from left to right.
 *
 * @throws StepsExceeded if the budget is used up
 */
export function linkifierMatches(
  linkifier: CompiledLinkifier,
  text: string,
  budget: StepBudget,
): LinkifierMatch[] {
  const { expression, groupNames, required, size, isWide } = linkifier;
  if (!required.every((character) => text.includes(character))) return [];
  budget.spend(stepsPerSearch + text.length * size * stepsToSearch);
  const matcher = expression.matcher(text);
  const matches: LinkifierMatch[] = [];
  let from = 0;
  const findNext = (): boolean => from <= text.length && matcher.find(from);
  for (let isFound = findNext(); isFound; isFound = findNext()) {
    const start = matcher.start(1);
    const end = matcher.end(1);
    const followed = isWide ? text.length - start : end - start;
    budget.spend(stepsPerMatch + followed * size * stepsToFollow);
    // The last character of a match may be the boundary of the next one; the start of the text is a boundary only once.
    from = Math.max(end - 1, matcher.start() + 1);
    if (end === start) continue;
    const groups = new Map<string, string>();
    for (const name of groupNames) {
      const value = matcher.group(name);
      if (value !== null) groups.set(name, value);
    }
    matches.push({ start, end, groups });
  }
  return matches;
}

/** Applies each linkifier in order to the whole run (reference facts, markdown 12). */
export const linkifierLinks: InlinePass = (text, run, later) => {
  let output = text;
  for (const linkifier of compileLinkifiers(run.context.linkifiers)) {
    const input = output;
    let linked = '';
    let copied = 0;
    for (const match of linkifierMatches(linkifier, input, run.budget)) {
      const url = fillUrl(linkifier.urlFormat, match);
      const shown = input.slice(match.start, match.end);
      const link = hasPlaceholder(url) ? undefined : addFoundLink(run, url, later(shown));
      if (link === undefined) continue;
      linked += input.slice(copied, match.start) + link;
      copied = match.end;
    }
    if (copied > 0) output = linked + input.slice(copied);
  }
  return output;
};
