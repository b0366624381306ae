import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { settingsTexts as t } from '../../settings-texts.ts';
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
  const wanted = filter.value.trim().toLowerCase();
  const found = rows.filter(({ title }) => title.toLowerCase().includes(wanted));
  return (
    <>
      {rows.length >= searchedMin && (
        <input
          class="rows-search"
          type="search"
          placeholder={t.search}
          aria-label={`${t.search}: ${label}`}
          value={filter}
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value;
          }}
        />
      )}
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
