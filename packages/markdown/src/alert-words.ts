import { extractFences, stashMarks } from './fences.ts';
import { normalisedLines, separateHangingLists } from './source-lines.ts';

/** Reference facts, markdown 13. */
const allowedBefore = new Set(' \n(".,\';[*>`');
const allowedAfter = new Set(" \n)?:.,';]!*`");

function textOutsideFences(content: string): string {
  const lines = extractFences(separateHangingLists(normalisedLines(content)), []);
  return lines.join('\n').replaceAll(stashMarks, '').trim();
}

function occurs(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index !== -1; index = text.indexOf(word, index + 1)) {
    const before = text[index - 1];
    const after = text[index + word.length];
    if (
      (before === undefined || allowedBefore.has(before)) &&
      (after === undefined || allowedAfter.has(after))
    ) {
      return true;
    }
  }
  return false;
}

/** The beginnings of all words that a text may contain: one look-up excludes most words of an organization. */
function beginningsIn(text: string): ReadonlySet<string> {
  const beginnings = new Set<string>();
  for (let index = 0; index < text.length; index += 1) {
    beginnings.add(text.slice(index, index + 1));
    beginnings.add(text.slice(index, index + 2));
  }
  return beginnings;
}

/**
 * The alert words in a message, without fenced blocks (reference facts, markdown 13).
 *
 * @param words As users wrote them; compared in lower case.
 * @returns A subset of `words`, in their order.
 */
export function alertWordMatches(content: string, words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const lower = content.toLowerCase();
  const beginnings = beginningsIn(lower);
  const present = words.filter((word) => {
    const wanted = word.toLowerCase();
    return beginnings.has(wanted.slice(0, 2)) && lower.includes(wanted);
  });
  if (present.length === 0) return [];
  const text = textOutsideFences(content).toLowerCase();
  return present.filter((word) => occurs(text, word.toLowerCase()));
}
