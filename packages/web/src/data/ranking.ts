/** How well names match what was typed. */

/** For comparisons: without case and accents. */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * @param query folded
 * @returns 0 if the name begins with it, 1 if one of its words does, undefined if none does
 */
export function rankName(name: string, query: string): number | undefined {
  const folded = foldText(name);
  if (folded.startsWith(query)) return 0;
  return folded
    .split(/(?<=[^\p{L}\p{N}])/u)
    .some((_, index, words) => words.slice(index).join('').startsWith(query))
    ? 1
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
 * @returns 0 if a name of the emoji begins with it, 1 if a word of a name does, 2 if it is within a name, undefined otherwise
 */
export function rankEmoji(names: readonly string[], query: string): number | undefined {
  const searched = query.replaceAll(' ', '_');
  const ranks = names.flatMap((name) => {
    const at = name.indexOf(searched);
    if (at === -1) return [];
    if (at === 0) return [0];
    return [name[at - 1] === '_' ? 1 : 2];
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
