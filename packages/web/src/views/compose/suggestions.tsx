import { useSignal } from '@preact/signals';
import type { AriaAttributes, ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { texts } from '../../texts.ts';

/**
 * Suggestions below a text field: arrows move, Enter and Tab choose, Esc closes.
 *
 * @param items none: nothing is shown
 * @param key changes when the field asks for something else
 * @returns also `attributes` for the text field, and `handleKey`, which says whether a key was for the suggestions
 */
export function useSuggestions<Item>(
  items: readonly Item[],
  key: string,
  choose: (item: Item) => void,
) {
  const state = useSignal({ key, active: 0, isClosed: false });
  const listId = useId();
  const { active, isClosed } =
    state.value.key === key ? state.value : { active: 0, isClosed: false };
  const shown = isClosed ? [] : items;
  const item = shown[active];
  const change = (active: number, isClosed = false): void => {
    state.value = { key, active, isClosed };
  };
  const handleKey = (event: KeyboardEvent): boolean => {
    if (item === undefined || event.isComposing || event.ctrlKey || event.metaKey) return false;
    if (event.key === 'ArrowDown') change((active + 1) % shown.length);
    else if (event.key === 'ArrowUp') change((active || shown.length) - 1);
    else if (event.key === 'Escape') change(0, true);
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) choose(item);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const attributes: AriaAttributes = {
    'aria-autocomplete': 'list',
    ...(item !== undefined && {
      'aria-controls': listId,
      'aria-activedescendant': `${listId}-${active}`,
    }),
  };
  return { items: shown, active, listId, choose, handleKey, attributes };
}

/** What a text field has while it suggests. */
type Suggestions<Item> = ReturnType<typeof useSuggestions<Item>>;

type SuggestionListProps<Item> = {
  readonly suggestions: Suggestions<Item>;
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
};

export function SuggestionList<Item>(props: SuggestionListProps<Item>) {
  const { suggestions, label, keyOf, children } = props;
  const { items, active, listId, choose } = suggestions;
  return (
    <>
      <span role="status" class="visually-hidden">
        {items.length > 0 && texts.compose.suggestionsCount(items.length)}
      </span>
      {items.length > 0 && (
        <ul class="suggestions" role="listbox" id={listId} aria-label={label}>
          {items.map((item, index) => (
            <li
              key={keyOf(item)}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(item)}
            >
              {children(item)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
