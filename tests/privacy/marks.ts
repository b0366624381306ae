import type { SeededRandom } from './seeded-random.ts';

// Not an English word or stem, so that the search keeps the whole word.
const letters = 'bcdfghjkmpqvwxz';
const marked = /mq[bcdfghjkmpqvwxz]{12}/gi;

/** @returns a new word that occurs nowhere else */
export function makeMark(random: SeededRandom): string {
  return `mq${Array.from({ length: 12 }, () => letters[random.below(letters.length)]).join('')}`;
}

/** @returns the marked words in a text, as spelled there, each once */
export function findMarks(text: string): ReadonlySet<string> {
  return new Set(text.match(marked));
}
