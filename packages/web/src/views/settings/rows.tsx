/** Lists of what settings are about, with what can be done to each thing. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import { settingsTexts as t } from '../../settings-texts.ts';
import { useBeginning } from '../parts/beginning.tsx';
import { nameFilter, SearchField } from '../parts/search-field.tsx';
import type { Actions } from './action-button.tsx';
import { ActionButton } from './action-button.tsx';
import type { Field, ValuesOf } from './fields.ts';
import { Form } from './form.tsx';
import type { SectionName } from './section.ts';
import { sectionTexts } from './section.ts';

const steps = { first: 100, further: 100 };
/** Shorter lists need no search. */
const searchedMin = 12;

export type Row = {
  readonly key: string | number;
  readonly picture?: ComponentChildren;
  /** What the search looks at, too. */
  readonly title: string;
  readonly href?: string | null;
  readonly detail?: ComponentChildren;
  /** More about it, asked for when it is opened. */
  readonly edit?: (() => ComponentChildren) | false;
  readonly actions?: Actions;
  readonly isAdded?: boolean;
};

type DisclosureProps = {
  readonly startsOpen?: boolean;
  readonly label: string;
  /** Which of many it tells more of, for those who do not see where it stands. */
  readonly about?: string;
  /** Asked for when it is opened. */
  readonly content: () => ComponentChildren;
};

/** More about something, which is shown when somebody asks for it. */
export function Disclosure({ label, about, startsOpen = false, content }: DisclosureProps) {
  const isOpen = useSignal(startsOpen);
  return (
    <details
      class="disclosure"
      open={isOpen.value}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary aria-label={about === undefined ? undefined : `${label}: ${about}`}>{label}</summary>
      {isOpen.value && <div class="disclosure-content">{content()}</div>}
    </details>
  );
}

function RowItem(row: Row) {
  const { picture, title, href = null, detail, edit = false, actions = [], isAdded } = row;
  return (
    <li class="row" {...(isAdded === true && { 'data-added': true, tabIndex: -1 })}>
      {picture}
      <div class="rows-text">
        {href === null ? <strong>{title}</strong> : <a href={href}>{title}</a>}
        <small class="hint">{detail}</small>
      </div>
      <div class="row">
        {edit !== false && <Disclosure label={t.edit} about={title} content={edit} />}
        {actions.map(
          (action) => action && <ActionButton key={action.label} about={title} {...action} />,
        )}
      </div>
    </li>
  );
}

export function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }) {
  const filter = useSignal('');
  const isWanted = nameFilter(filter.value);
  const found = rows.filter(({ title }) => isWanted(title));
  const { shown, more } = useBeginning(found, steps, t.showMore);
  return (
    <>
      {rows.length >= searchedMin && <SearchField label={`${t.search}: ${label}`} text={filter} />}
      {found.length === 0 && <p class="hint">{rows.length === 0 ? t.empty : t.nothingFound}</p>}
      <ul class="rows" aria-label={label}>
        {shown.map((row) => (
          <RowItem {...row} key={row.key} />
        ))}
      </ul>
      {more}
    </>
  );
}

type GrowingListProps<Each extends Field> = {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly mayAdd?: boolean;
  readonly title?: string | undefined;
  readonly fields: readonly Each[];
  readonly button: string;
  readonly add: (values: ValuesOf<Each>) => Promise<unknown>;
};

/**
 * A list, and above it, for those who may add to it, a form that does, which is opened where the list has something already. What was added last
 * stands first.
 */
export function GrowingList<Each extends Field>(props: GrowingListProps<Each>) {
  const { label, rows, mayAdd = true, title = '', add, ...form } = props;
  const list = useRef<HTMLDivElement>(null);
  const before = useSignal<ReadonlySet<Row['key']> | undefined>(undefined);
  const isAdded = ({ key }: Row): boolean => before.value?.has(key) === false;
  const added = rows.filter(isAdded).map((row) => ({ ...row, isAdded: true }));
  const show = (
    <button
      type="button"
      class="plain"
      onClick={() => list.current?.querySelector<HTMLElement>('[data-added]')?.focus()}
    >
      {t.showAdded}
    </button>
  );
  return (
    <>
      {mayAdd && (
        <Disclosure
          label={title}
          startsOpen={rows.length === 0}
          content={() => (
            <Form
              {...form}
              title={title}
              doneText={t.added}
              onward={added.length > 0 && show}
              save={async (values) => {
                const keys = new Set(rows.map(({ key }) => key));
                await add(values);
                before.value = keys;
              }}
            />
          )}
        />
      )}
      <div ref={list}>
        <Rows label={label} rows={[...added, ...rows.filter((row) => !isAdded(row))]} />
      </div>
    </>
  );
}

type ListSectionProps<Each extends Field> = Pick<
  GrowingListProps<Each>,
  'rows' | 'fields' | 'add' | 'mayAdd'
> & { readonly name: SectionName };

/** A section that is a list. */
export function ListSection<Each extends Field>({ name, ...list }: ListSectionProps<Each>) {
  const { title: label, add: title, button = t.add } = sectionTexts[name];
  return <GrowingList {...list} label={label} title={title} button={button} />;
}
