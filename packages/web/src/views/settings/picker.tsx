import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { settingsTexts as t } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { nameFilter } from '../parts/search-field.tsx';
import type { Choice } from './fields.ts';

/** More are found by typing. */
const shownMax = 40;

type PickerProps = {
  readonly id: string;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly value: readonly number[];
};

/**
 * Chooses several things of a list that is filtered by typing; those chosen stay in the form when they are filtered out. What is chosen when the
 * form begins stands first.
 */
export function Picker({ id, name, choices, value }: PickerProps) {
  const chosen = useSignal<ReadonlySet<string | number>>(new Set(value));
  const filter = useSignal('');
  useLayoutEffect(() => {
    chosen.value = new Set(value);
  }, [String(value)]);
  const list = useRef<HTMLUListElement>(null);
  const isWanted = nameFilter(filter.value);
  const first = new Set<string | number>(value);
  const ordered = choices.toSorted(
    ([one], [other]) => Number(first.has(other)) - Number(first.has(one)),
  );
  const found = ordered.filter(([, label]) => isWanted(label));
  const left = found.filter(([each]) => !chosen.value.has(each)).length;
  const chooseFound = (): void => {
    chosen.value = chosen.value.union(new Set(found.map(([each]) => each)));
    // Where each change is saved, this one is too, once the boxes are checked.
    requestAnimationFrame(() =>
      list.current?.dispatchEvent(new Event('change', { bubbles: true })),
    );
  };
  const shown = new Set(found.slice(0, shownMax));
  return (
    <div class="picker">
      <input
        id={id}
        type="search"
        placeholder={t.search}
        onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        // What is searched for is not given.
        onChange={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <ul ref={list}>
        {ordered
          .filter((each) => shown.has(each) || chosen.value.has(each[0]))
          .map((each) => (
            <li key={each[0]} hidden={!shown.has(each)}>
              <label class="row">
                <input
                  type="checkbox"
                  name={name}
                  value={each[0]}
                  defaultChecked={first.has(each[0])}
                  checked={chosen.value.has(each[0])}
                  onChange={() =>
                    (chosen.value = chosen.value.symmetricDifference(new Set([each[0]])))
                  }
                />
                {each[1]}
              </label>
            </li>
          ))}
      </ul>
      <small class="hint">
        {t.chosen(chosen.value.size)}
        {found.length > shownMax && ` ${texts.people.more(found.length - shownMax)}`}
      </small>
      {left > 1 && (
        <button type="button" class="plain" onClick={chooseFound}>
          {t.chooseAll(found.length)}
        </button>
      )}
    </div>
  );
}
