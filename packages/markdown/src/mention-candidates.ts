import { avatarReference } from './avatars.ts';
import { splitMention } from './mentions.ts';
import { normalisedLines } from './source-lines.ts';

export type MentionCandidates = {
  /** Full names as written, without the id part. */
  names: string[];
  ids: number[];
  groupNames: string[];
  streamNames: string[];
  /** Lower-case addresses of `!avatar(..)`. */
  emails: string[];
};

/** The content is only looked ahead at, so that a name may begin inside the text of an apparent other one. */
const userName = /@_?\*\*(?=([^*\n]+)\*\*)/g;
const groupName = /@\*(?=([^*\n]+)\*)/g;
const streamName = /#\*\*(?=([^*\n]+)\*\*)/g;

function captures(content: string, pattern: RegExp): string[] {
  return Array.from(content.matchAll(pattern), (match) => match[1] ?? '');
}

/**
 * All names to look up before a message is rendered: a cheap scan that may find more than rendering needs, but never less.
 */
export function mentionCandidates(content: string): MentionCandidates {
  const names = new Set<string>();
  const ids = new Set<number>();
  const streams = new Set<string>();
  if (!content.includes('*') && !content.includes('avatar(')) {
    return { names: [], ids: [], groupNames: [], streamNames: [], emails: [] };
  }
  const source = normalisedLines(content).join('\n');
  for (const text of captures(source, userName)) {
    const { name, id } = splitMention(text);
    names.add(name);
    if (id !== undefined) ids.add(id);
  }
  for (const text of captures(source, streamName)) {
    streams.add(text);
    const separator = text.indexOf('>');
    if (separator > 0) streams.add(text.slice(0, separator));
  }
  return {
    names: [...names],
    ids: [...ids],
    groupNames: [...new Set(captures(source, groupName))],
    streamNames: [...streams],
    emails: [
      ...new Set(captures(source, avatarReference).map((email) => email.trim().toLowerCase())),
    ],
  };
}
