import { leftBoundary } from './inline-run.ts';
import type { InlinePass, InlineRun, Mention } from './inline-run.ts';

/** Names are on one line, and contain no replacement by another pass. */
const nameClass = String.raw`[^*\n\u{100000}-\u{10FFFD}]`;
/**
 * The target of a link cannot contain a mention, although a parenthesis and white space are boundaries. White space is checked only before
 * an at sign, not once for each of its characters.
 */
const notInTarget = String.raw`(?=@)(?<!\]\(\s*)`;
const userMention = new RegExp(
  String.raw`${leftBoundary}${notInTarget}@(_?)\*\*(${nameClass}+)\*\*`,
  'gu',
);
const groupMention = new RegExp(
  String.raw`${leftBoundary}${notInTarget}@\*(${nameClass}+)\*`,
  'gu',
);
const wildcards = new Set(['all', 'everyone', 'stream']);

/** The name part of a mention and, if present, its id part. */
export function splitMention(text: string): { name: string; id: number | undefined } {
  const match = /^([^\n]+)\|([0-9]{1,15})$/.exec(text);
  if (match === null) return { name: text, id: undefined };
  return { name: match[1] ?? '', id: Number(match[2]) };
}

function findMentionedUser(
  text: string,
  run: InlineRun,
): { id: number; fullName: string } | undefined {
  const { name, id } = splitMention(text);
  if (id !== undefined) {
    const user = run.context.userById(id);
    if (user !== undefined && run.mentionedNames().has(user.fullName.toLowerCase())) return user;
    return undefined;
  }
  return run.context.usersByName(name)[0];
}

/**
 * `@**Full Name**`, `@**Full Name|id**`, their silent forms and the wildcards (reference facts, markdown 7). A silent wildcard is not a
 * mention.
 */
export const userMentions: InlinePass = (text, run) => {
  return replaceEach(text, userMention, (match) => {
    const isSilent = match[1] === '_';
    const name = match[2] ?? '';
    const isWildcard = run.context.hasWildcards && wildcards.has(name);
    const user = isWildcard ? undefined : findMentionedUser(name, run);
    if (!isWildcard && user === undefined) return undefined;
    const mention: Mention =
      user === undefined ? { kind: 'wildcard' } : { kind: 'user', id: user.id };
    const shown = user === undefined ? name : user.fullName;
    return run.add({
      kind: 'element',
      tag: 'span',
      attributes: [
        ['class', isSilent ? 'user-mention silent' : 'user-mention'],
        ['data-user-id', user === undefined ? '*' : String(user.id)],
      ],
      content: run.add({ kind: 'text', text: isSilent ? shown : `@${shown}` }),
      mention: isSilent ? undefined : mention,
    });
  });
};

/** `@*group name*` (reference facts, markdown 7). */
export const groupMentions: InlinePass = (text, run) => {
  return replaceEach(text, groupMention, (match) => {
    const group = run.context.groupByName(match[1] ?? '');
    if (group === undefined) return undefined;
    return run.add({
      kind: 'element',
      tag: 'span',
      attributes: [
        ['class', 'user-group-mention'],
        ['data-user-group-id', String(group.id)],
      ],
      content: run.add({ kind: 'text', text: `@${group.name}` }),
      mention: { kind: 'group', id: group.id },
    });
  });
};

/**
 * Replaces matches from left to right. After a refused match only one character is skipped, so that a match that begins inside it is still
 * found.
 *
 * @param pattern Global.
 * @param replace The replacement, or undefined to refuse the match.
 */
export function replaceEach(
  text: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | undefined,
): string {
  let output = '';
  let copied = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const after = pattern.lastIndex;
    const replacement = replace(match);
    pattern.lastIndex = after;
    if (replacement === undefined) {
      pattern.lastIndex = match.index + 1;
    } else {
      output += text.slice(copied, match.index) + replacement;
      copied = after;
    }
  }
  return copied === 0 ? text : output + text.slice(copied);
}
