import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

import type { App } from '../../data/app.ts';
import { narrowKey } from '../../data/narrow.ts';
import type { Place } from '../../data/place.ts';
import { texts } from '../../texts.ts';

/** Counts above it are not exact to a reader's eye. */
const countShownMax = 999;

export function UnreadCount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span class="count" aria-label={texts.navigation.unread(count)} role="img">
      {count > countShownMax ? `${countShownMax}+` : count}
    </span>
  );
}

/** An entry of the navigation. */
export type PlaceEntry = {
  readonly place: Place;
  /** What stands before the name. */
  readonly mark?: ComponentChildren;
  readonly name: string;
  /** Unread messages there. */
  readonly count?: number;
  /** Whether the person is there, if the address does not say so. */
  readonly isCurrent?: boolean;
  /** Muted, or of little interest now. */
  readonly isQuiet?: boolean;
  /** What is listed below it. */
  readonly below?: ComponentChildren;
};

type PlaceListProps = {
  readonly app: App;
  readonly entries: readonly PlaceEntry[];
  /** Entries that are always shown; of the others those with something unread, until the reader asks for all. */
  readonly shownAtFirst?: number;
  readonly label?: string;
};

/** Equal for places that are one entry, whichever message of it is near. */
function placeKey(place: Place): string {
  return place.view === 'messages'
    ? narrowKey(place.narrow).toLowerCase()
    : Object.values(place).join('/');
}

/** Links to places. The one where the person is is marked. */
export function PlaceList({ app, entries, shownAtFirst = Infinity, label }: PlaceListProps) {
  const showsAll = useSignal(false);
  const shown = entries.filter(
    ({ count = 0, isQuiet }, index) =>
      showsAll.value || index < shownAtFirst || (count > 0 && isQuiet !== true),
  );
  const isHere = (place: Place): boolean => placeKey(app.place.value) === placeKey(place);
  return (
    <ul aria-label={label}>
      {shown.map(
        ({ place, mark, name, count = 0, isCurrent = isHere(place), isQuiet = false, below }) => (
          <li key={placeKey(place)}>
            <a
              class="place"
              href={app.addressOf(place)}
              aria-current={isCurrent ? 'page' : undefined}
              data-quiet={isQuiet}
            >
              {mark}
              <span class="line" dir="auto">
                {name}
              </span>
              <UnreadCount count={count} />
            </a>
            {below}
          </li>
        ),
      )}
      {(showsAll.value || shown.length < entries.length) && entries.length > shownAtFirst && (
        <li>
          <button
            type="button"
            class="plain more"
            aria-expanded={showsAll.value}
            onClick={() => (showsAll.value = !showsAll.value)}
          >
            {showsAll.value
              ? texts.navigation.less
              : texts.navigation.more(entries.length - shown.length)}
          </button>
        </li>
      )}
    </ul>
  );
}
