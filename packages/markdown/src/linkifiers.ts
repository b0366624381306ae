import { createContext, Script } from 'node:vm';

import { hasPlaceholder, leftBoundary, wordClass } from './inline-run.ts';
import type { InlinePass } from './inline-run.ts';
import { isCheapPattern } from './linkifier-cost.ts';
import { addFoundLink } from './links.ts';
import { UnableToRender } from './render-context.ts';
import type { Linkifier } from './render-context.ts';

export type CompiledLinkifier = {
  expression: RegExp;
  urlFormat: string;
  /** Whether matching runs under a time limit. */
  isGuarded: boolean;
  required: string[];
};

/** The whole budget of a message is 5 s (reference facts, markdown 15). */
const matchTimeoutMs = 500;

/** Translates the syntax that realms write, with word characters of all scripts. */
function translate(pattern: string): string {
  let inClass = false;
  let output = '';
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    const next = pattern[index + 1] ?? '';
    if (character === '\\') {
      index += 1;
      if (next === 'w') output += inClass ? wordClass : `[${wordClass}]`;
      else if (next === 'd') output += String.raw`\p{Nd}`;
      else if (next === 'A') output += '^';
      else if (next === 'Z') output += '$';
      // Other than letters and digits only syntax characters may be escaped in a `u` pattern.
      else if (/[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(next)) output += `\\${next}`;
      else output += inClass && next === '-' ? String.raw`\-` : next;
    } else if (!inClass && pattern.startsWith('(?P<', index)) {
      output += '(?<';
      index += '?P<'.length;
    } else {
      if (character === '[') inClass = true;
      else if (character === ']') inClass = false;
      output += character;
    }
  }
  return output;
}

function compile(pattern: string): RegExp | undefined {
  try {
    const source = String.raw`${leftBoundary}(?:${translate(pattern)})(?![${wordClass}])`;
    return new RegExp(source, 'gu');
  } catch (error) {
    // A stored pattern that this engine does not know links nothing; the rest still renders.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The index of the bracket that ends a character class. */
function classEnd(pattern: string, start: number): number {
  let index = start + 1;
  while (index < pattern.length && pattern[index] !== ']') index += pattern[index] === '\\' ? 2 : 1;
  return index;
}

/**
 * Characters outside every group, which each match contains: texts without them are passed over
 * before any expression runs. Empty when the pattern has alternatives there.
 */
function requiredCharacters(pattern: string): string[] {
  const required: string[] = [];
  let depth = 0;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    if (character === '\\') index += 1;
    else if (character === '[') index = classEnd(pattern, index);
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0 && character === '|') return [];
    else if (depth === 0 && /[A-Za-z0-9\-#_=/:!]/.test(character)) {
      if (!/[?*{]/.test(pattern[index + 1] ?? '')) required.push(character);
    }
  }
  return required;
}

/** Each realm's list is compiled once; a changed realm comes with a new array. */
const listsByRealm = new WeakMap<readonly Linkifier[], CompiledLinkifier[]>();

/** The expressions of a realm, in its order; those that do not compile are left out. */
export function compileLinkifiers(linkifiers: readonly Linkifier[]): CompiledLinkifier[] {
  const known = listsByRealm.get(linkifiers);
  if (known !== undefined) return known;
  const list: CompiledLinkifier[] = [];
  for (const { pattern, urlFormat } of linkifiers) {
    const expression = compile(pattern);
    if (expression === undefined) continue;
    const isGuarded = !isCheapPattern(pattern);
    list.push({ expression, urlFormat, isGuarded, required: requiredCharacters(pattern) });
  }
  listsByRealm.set(linkifiers, list);
  return list;
}

/** Fills `%(name)s` with the groups of a match. */
export function fillUrl(urlFormat: string, match: RegExpExecArray): string {
  return urlFormat.replaceAll(
    /%(?:\(([A-Za-z_][A-Za-z0-9_]*)\)s|%)/g,
    (whole, name: string | undefined) =>
      name === undefined ? '%' : (match.groups?.[name] ?? whole),
  );
}

const guarded = createContext({});
const guardedMatches = new Script('[...text.matchAll(expression)]');

/**
 * All matches of a linkifier. Patterns come from administrators: one that could backtrack without
 * end runs under a time limit, because nothing else can interrupt it.
 *
 * @throws UnableToRender when the limit is reached.
 */
export function linkifierMatches(linkifier: CompiledLinkifier, text: string): RegExpExecArray[] {
  const { expression } = linkifier;
  if (!linkifier.required.every((character) => text.includes(character))) return [];
  if (!linkifier.isGuarded) return [...text.matchAll(expression)];
  guarded['text'] = text;
  guarded['expression'] = expression;
  try {
    return guardedMatches.runInContext(guarded, { timeout: matchTimeoutMs }) as RegExpExecArray[];
  } catch (error) {
    throw new UnableToRender('a linkifier took too long', { cause: error });
  }
}

/** Each linkifier over the whole run in its order (reference facts, markdown 12). */
export const linkifierLinks: InlinePass = (text, run, later) => {
  let output = text;
  for (const linkifier of compileLinkifiers(run.context.linkifiers)) {
    const input = output;
    let linked = '';
    let copied = 0;
    for (const match of linkifierMatches(linkifier, input)) {
      if (match[0] === '') continue;
      const url = fillUrl(linkifier.urlFormat, match);
      const link = hasPlaceholder(url) ? undefined : addFoundLink(run, url, later(match[0]));
      if (link === undefined) continue;
      linked += input.slice(copied, match.index) + link;
      copied = match.index + match[0].length;
    }
    if (copied > 0) output = linked + input.slice(copied);
  }
  return output;
};
