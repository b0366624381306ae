import type { Signal } from '@preact/signals';

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

/** @returns whether a name contains what was typed, in any letter case */
export function nameFilter(text: string): (name: string) => boolean {
  const wanted = text.trim().toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}
