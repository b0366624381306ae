/** Narrows as people type them in the search box. */
import { isSearch } from '../../data/narrow.ts';
import type { Narrow, NarrowTerm } from '../../data/narrow.ts';
import type { Place } from '../../data/place.ts';
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';

function writtenOperand({ operator, operand }: NarrowTerm, state: State): string {
  if (operator === 'stream' && typeof operand === 'number')
    return (
      state.streams.value.get(operand)?.name ??
      state.formerStreams.value.get(operand) ??
      String(operand)
    );
  return typeof operand === 'object'
    ? operand.map((id) => state.people.value.get(id)?.email ?? id).join(',')
    : String(operand);
}

/** The text that finds the messages of a narrow: `stream:"release notes" -sender:ann@example.com words`. */
export function textOfNarrow(narrow: Narrow, state: State): string {
  return narrow
    .map((term) => {
      const operand = writtenOperand(term, state);
      if (term.operator === 'search') return operand;
      const quoted = /\s/.test(operand) ? `"${operand}"` : operand;
      return `${term.negated === true ? '-' : ''}${term.operator}:${quoted}`;
    })
    .join(' ');
}

/** Names of the places that are no conversation, by the text that finds them. */
export const namedPlaces: Readonly<Record<string, string>> = {
  '': texts.navigation.all,
  'is:mentioned': texts.navigation.mentions,
  'is:starred': texts.navigation.starred,
  'is:private': texts.navigation.private,
};

/** What the search box shows at a place; nothing at those that people go to by other ways. */
export function searchTextOf(place: Place, state: State): string {
  if (place.view !== 'messages') return '';
  return isSearch(place.narrow) ? textOfNarrow(place.narrow, state) : '';
}

/** A word that looks like an operator. No address begins like it. */
const likeOperator = /^-?([a-z-]+):(?!\/\/)./i;

/** @returns what looks like operators in the words of a search: those that are some are not among the words */
export function unknownOperatorsIn(words: string): readonly string[] {
  const names = words.split(/\s+/).flatMap((word) => likeOperator.exec(word)?.[1] ?? []);
  return [...new Set(names)];
}
