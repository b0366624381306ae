import type { Signal } from '@preact/signals';

import { texts } from '../../texts.ts';

type FiltersProps<Name extends string> = {
  /** What the buttons say, in their order. */
  readonly names: Readonly<Record<Name, string>>;
  readonly chosen: Signal<Name>;
};

/** Buttons for which of a list is shown. */
export function Filters<Name extends string>({ names, chosen }: FiltersProps<Name>) {
  return (
    <div class="filters" role="group" aria-label={texts.parts.filters}>
      {(Object.keys(names) as Name[]).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={chosen.value === name}
          onClick={() => (chosen.value = name)}
        >
          {names[name]}
        </button>
      ))}
    </div>
  );
}
