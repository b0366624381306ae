/** How well names match what was typed. */

/** For comparisons: without case and accents. */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** @returns the text, and what is left of it from the beginning of each further word */
function fromEachWord(text: string): readonly string[] {
  return text.split(/(?<=[^\p{L}\p{N}])/u).map((_, index, words) => words.slice(index).join(''));
}

/**
 * @param query folded
 * @returns 0 if the name begins with it, 1 if one of its words does, undefined if none does
 */
export function rankName(name: string, query: string): number | undefined {
  const folded = foldText(name);
  if (folded.startsWith(query)) return 0;
  return fromEachWord(folded).some((end) => end.startsWith(query)) ? 1 : undefined;
}

/** Whether a text begins with the first sign of a word, and has the others after it in their order. */
function hasSignsInOrder(text: string, word: string): boolean {
  if (text[0] !== word[0]) return false;
  let found = 0;
  for (let at = 0; at < text.length && found < word.length; at += 1)
    if (text[at] === word[found]) found += 1;
  return found === word.length;
}

/**
 * @param query folded
 * @returns as `rankName`; of the rest 2 if each word of the query begins a word of the name, 3 if each is within it, 4 if the signs of each are in
 *   it in their order, as `gnrl` in `general`
 */
export function rankLoosely(name: string, query: string): number | undefined {
  const rank = rankName(name, query);
  if (rank !== undefined) return rank;
  const folded = foldText(name);
  const words = query.split(/[\s>]+/).filter((word) => word !== '');
  if (words.every((word) => rankName(folded, word) !== undefined)) return 2;
  if (words.every((word) => folded.includes(word))) return 3;
  return words.every((word) => fromEachWord(folded).some((end) => hasSignsInOrder(end, word)))
    ? 4
    : undefined;
}

/**
 * @param query folded
 * @returns as `rankName` for the person's name, and 2 if the address begins with it
 */
export function rankPerson(
  { full_name, email }: { readonly full_name: string; readonly email: string },
  query: string,
): number | undefined {
  return rankName(full_name, query) ?? (foldText(email).startsWith(query) ? 2 : undefined);
}

/**
 * @param query lower case; a space matches `_`
 * @param popularity 0 for the most popular, up to 1; undefined for the many that are not
 * @returns 0 if it is a name of the emoji, 1 to 2 if the emoji is popular and a word of a name begins with it, 3 if a name begins with it, 4 if
 * a word of a name does, 5 if it is within a name, undefined otherwise
 */
export function rankEmoji(
  names: readonly string[],
  query: string,
  popularity?: number,
): number | undefined {
  const searched = query.replaceAll(' ', '_');
  const ranks = names.flatMap((name) => {
    const at = name.indexOf(searched);
    if (at === -1) return [];
    if (name === searched) return [0];
    if (at > 0 && name[at - 1] !== '_') return [5];
    if (popularity !== undefined) return [1 + popularity];
    return [at === 0 ? 3 : 4];
  });
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}

/** @returns the items that have a rank, the lowest first; equal ones keep their order */
export function bestOf<Item>(
  items: readonly Item[],
  rankOf: (item: Item) => number | undefined,
  max: number,
): readonly Item[] {
  return items
    .flatMap((item) => {
      const rank = rankOf(item);
      return rank === undefined ? [] : [{ item, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, max)
    .map(({ item }) => item);
}
