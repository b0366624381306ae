import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { settingsTexts as t } from '../../settings-texts.ts';
import { nameFilter, SearchField } from '../parts/search-field.tsx';
import { ActionButton } from './action-button.tsx';

/** Rows on the page; more are shown by a button. */
const shownMax = 100;
/** Shorter lists need no search. */
const searchedMin = 12;

export type Row = {
  readonly key: string | number;
  readonly picture?: ComponentChildren;
  /** What the search looks at, too. */
  readonly title: string;
  readonly href?: string;
  readonly detail?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Takes it out of the list; `warning` says what cannot be undone. */
  readonly remove?: { readonly run: () => Promise<unknown>; readonly warning?: string };
};

/** A list of things that settings are about, with what can be done to each. */
export function Rows({
  label,
  rows,
  empty,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly empty: string;
}) {
  const filter = useSignal('');
  const shown = useSignal(shownMax);
  const isWanted = nameFilter(filter.value);
  const found = rows.filter(({ title }) => isWanted(title));
  return (
    <>
      {rows.length >= searchedMin && <SearchField label={`${t.search}: ${label}`} text={filter} />}
      {found.length === 0 ? (
        <p class="rows-empty">{rows.length === 0 ? empty : t.nothingFound}</p>
      ) : (
        <ul class="rows" aria-label={label}>
          {found
            .slice(0, shown.value)
            .map(({ key, picture, title, href, detail, actions, remove }) => (
              <li key={key}>
                {picture}
                <div class="rows-text">
                  {href === undefined ? <strong>{title}</strong> : <a href={href}>{title}</a>}
                  {detail !== undefined && <small class="hint">{detail}</small>}
                </div>
                <div class="rows-actions">
                  {actions}
                  {remove !== undefined && (
                    <ActionButton label={t.remove} about={title} {...remove} />
                  )}
                </div>
              </li>
            ))}
        </ul>
      )}
      {found.length > shown.value && (
        <button
          type="button"
          onClick={() => {
            shown.value += shownMax;
          }}
        >
          {t.showMore(found.length - shown.value)}
        </button>
      )}
    </>
  );
}
