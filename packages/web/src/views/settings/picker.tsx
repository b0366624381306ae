import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

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

/** Chooses several things of a list that is filtered by typing; those chosen stay in the form when they are filtered out. */
export function Picker({ id, name, choices, value }: PickerProps) {
  const chosen = useSignal<ReadonlySet<string | number>>(new Set(value));
  const filter = useSignal('');
  useLayoutEffect(() => {
    chosen.value = new Set(value);
  }, [String(value)]);
  const isWanted = nameFilter(filter.value);
  const found = choices.filter(([, label]) => isWanted(label));
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
      <ul>
        {choices
          .filter((each) => shown.has(each) || chosen.value.has(each[0]))
          .map((each) => (
            <li key={each[0]} hidden={!shown.has(each)}>
              <label class="row">
                <input
                  type="checkbox"
                  name={name}
                  value={each[0]}
                  defaultChecked={chosen.value.has(each[0])}
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
    </div>
  );
}
