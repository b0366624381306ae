import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import { settingsTexts as t } from '../../settings-texts.ts';
import { nameFilter, SearchField } from '../parts/search-field.tsx';
import type { Action } from './action-button.tsx';
import { ActionButton } from './action-button.tsx';
import { Disclosure } from './disclosure.tsx';

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
  /** More about it, asked for when it is opened. */
  readonly edit?: (() => ComponentChildren) | false;
  readonly actions?: readonly Action[];
};

function RowItem({ picture, title, href, detail, edit = false, actions = [] }: Row) {
  return (
    <li class="row">
      {picture}
      <div class="rows-text">
        {href === undefined ? <strong>{title}</strong> : <a href={href}>{title}</a>}
        <small class="hint">{detail}</small>
      </div>
      <div class="row">
        {edit !== false && <Disclosure label={t.edit} about={title} content={edit} />}
        {actions.map((action) => (
          <ActionButton key={action.label} about={title} {...action} />
        ))}
      </div>
    </li>
  );
}

/** A list of things that settings are about, with what can be done to each. */
export function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }) {
  const filter = useSignal('');
  const shown = useSignal(shownMax);
  const isWanted = nameFilter(filter.value);
  const found = rows.filter(({ title }) => isWanted(title));
  return (
    <>
      {rows.length >= searchedMin && <SearchField label={`${t.search}: ${label}`} text={filter} />}
      {found.length === 0 && <p class="hint">{rows.length === 0 ? t.empty : t.nothingFound}</p>}
      <ul class="rows" aria-label={label}>
        {found.slice(0, shown.value).map((row) => (
          <RowItem {...row} key={row.key} />
        ))}
      </ul>
      {found.length > shown.value && (
        <button type="button" onClick={() => (shown.value += shownMax)}>
          {t.showMore(found.length - shown.value)}
        </button>
      )}
    </>
  );
}
