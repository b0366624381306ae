import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/**
 * The beginning of a list that may be long.
 *
 * @param steps.first how many are shown at first
 * @param steps.further how many more by each press of the button
 * @param label what the button says, by how many are left
 * @returns what is shown, and the button while there is more
 */
export function useBeginning<Item>(
  items: readonly Item[],
  { first, further }: { readonly first: number; readonly further: number },
  label: (left: number) => ComponentChildren,
) {
  const max = useSignal(first);
  const left = items.length - max.value;
  const more = left > 0 && (
    <button type="button" onClick={() => (max.value += further)}>
      {label(left)}
    </button>
  );
  return { shown: items.slice(0, max.value), more };
}
