import { useSignal } from '@preact/signals';
import type { AriaAttributes, ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { texts } from '../../texts.ts';

/** What a text field has while it suggests. */
export type Suggestions<Item> = {
  readonly items: readonly Item[];
  readonly active: number;
  readonly listId: string;
  readonly optionId: (index: number) => string;
  readonly choose: (item: Item) => void;
  /** @returns whether the key was for the suggestions */
  readonly handleKey: (event: KeyboardEvent) => boolean;
  /** For the text field. */
  readonly attributes: AriaAttributes;
};

/**
 * Suggestions below a text field: arrows move, Enter and Tab choose, Esc closes.
 *
 * @param items none: nothing is shown
 * @param key changes when the field asks for something else
 */
export function useSuggestions<Item>(
  items: readonly Item[],
  key: string,
  choose: (item: Item) => void,
): Suggestions<Item> {
  const state = useSignal({ key, active: 0, isClosed: false });
  const listId = useId();
  const { active, isClosed } =
    state.value.key === key ? state.value : { active: 0, isClosed: false };
  const shown = isClosed ? [] : items;
  const optionId = (index: number): string => `${listId}-${index}`;
  const move = (by: number): void => {
    state.value = { key, active: (active + by + shown.length) % shown.length, isClosed: false };
  };
  const handleKey = (event: KeyboardEvent): boolean => {
    const item = shown[active];
    if (item === undefined || event.isComposing || event.ctrlKey || event.metaKey) return false;
    switch (event.key) {
      case 'ArrowDown':
        move(1);
        break;
      case 'ArrowUp':
        move(-1);
        break;
      case 'Enter':
      case 'Tab':
        if (event.shiftKey) return false;
        choose(item);
        break;
      case 'Escape':
        state.value = { key, active: 0, isClosed: true };
        break;
      default:
        return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return {
    items: shown,
    active,
    listId,
    optionId,
    choose,
    handleKey,
    attributes: {
      'aria-autocomplete': 'list',
      ...(shown.length > 0 && {
        'aria-controls': listId,
        'aria-activedescendant': optionId(active),
      }),
    },
  };
}

export function SuggestionList<Item>({
  suggestions,
  label,
  keyOf,
  children,
}: {
  readonly suggestions: Suggestions<Item>;
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
}) {
  const { items, active, listId, optionId, choose } = suggestions;
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
              id={optionId(index)}
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
