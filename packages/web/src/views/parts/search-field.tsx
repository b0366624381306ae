import type { Signal } from '@preact/signals';

import { foldText } from '../../data/ranking.ts';

type SearchFieldProps = { readonly label: string; readonly text: Signal<string> };

/** A field that filters a list while it is typed in. */
export function SearchField({ label, text }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      // What is searched for is no change of a form around it.
      onChange={(event) => event.stopPropagation()}
    />
  );
}

/** @returns whether a name contains what was typed, without regard to case and accents */
export function nameFilter(text: string): (name: string) => boolean {
  const wanted = foldText(text.trim());
  return (name) => foldText(name).includes(wanted);
}
