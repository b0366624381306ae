import { useSignal } from '@preact/signals';

import type { Person } from '../../data/state.ts';
import { settingsTexts as t } from '../../settings-texts.ts';
import { texts } from '../../texts.ts';
import { nameFilter, SearchField } from '../parts/search-field.tsx';

/** More people are found by their names. */
const shownMax = 40;

/** Chooses people from a list that is filtered by typing; a form gets their ids under `name`. */
export function PeoplePicker({
  name,
  people,
  chosen: chosenAtFirst,
  onChange,
}: {
  readonly name: string;
  readonly people: readonly Person[];
  readonly chosen: readonly number[];
  readonly onChange?: (ids: readonly number[]) => void;
}) {
  const chosen = useSignal<ReadonlySet<number>>(new Set(chosenAtFirst));
  const filter = useSignal('');
  const isWanted = nameFilter(filter.value);
  const found = people.filter(({ full_name }) => isWanted(full_name));
  const toggle = (id: number): void => {
    chosen.value = chosen.value.symmetricDifference(new Set([id]));
    onChange?.([...chosen.value]);
  };
  return (
    <div class="people-picker">
      <SearchField label={texts.people.find} text={filter} />
      <ul>
        {found.slice(0, shownMax).map(({ user_id, full_name }) => (
          <li key={user_id}>
            <label>
              <input
                type="checkbox"
                checked={chosen.value.has(user_id)}
                onChange={(event) => {
                  event.stopPropagation();
                  toggle(user_id);
                }}
              />{' '}
              {full_name}
            </label>
          </li>
        ))}
      </ul>
      <small class="hint">
        {t.chosenPeople(chosen.value.size)}
        {found.length > shownMax && ` ${texts.people.more(found.length - shownMax)}`}
      </small>
      {[...chosen.value].map((id) => (
        <input key={id} type="hidden" name={name} value={id} />
      ))}
    </div>
  );
}
