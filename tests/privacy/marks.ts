import type { SeededRandom } from './seeded-random.ts';

// No English word and no stem of one: the search keeps such a word whole.
const letters = 'bcdfghjkmpqvwxz';
const marked = /mq[bcdfghjkmpqvwxz]{12}/gi;

/** @returns a new word that stands for itself alone */
export function makeMark(random: SeededRandom): string {
  return `mq${Array.from({ length: 12 }, () => letters[random.below(letters.length)]).join('')}`;
}

/** @returns the marked words in a text, spelled as there, each once */
export function findMarks(text: string): ReadonlySet<string> {
  return new Set(text.match(marked));
}
