import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { App } from '../../data/app.ts';
import { narrowKey } from '../../data/narrow.ts';
import type { Place } from '../../data/place.ts';
import { texts } from '../../texts.ts';
import { PlaceMenu } from './place-menu.tsx';

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
  /** What tells it from others of its name. */
  readonly detail?: string;
  /** Unread messages there. */
  readonly count?: number;
  /** Whether the person is there, if the address does not say so. */
  readonly isCurrent?: boolean;
  /** What stands after it, in place of the menu. */
  readonly beside?: ComponentChildren;
  /** Muted, or of little interest now. */
  readonly isQuiet?: boolean;
  /** What is listed below it. */
  readonly below?: ComponentChildren;
};

type PlaceListProps = {
  readonly app: App;
  readonly entries: readonly PlaceEntry[];
  /** Entries that are always shown; of the others the current one and those with something unread, until the reader asks for all. */
  readonly shownAtFirst?: number;
  readonly label?: string;
};

/** Scrolls to the place where the person is, as far as it is in sight at all. */
export function showCurrent(within: Element | null): void {
  within?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
}

/** Equal for places that are one entry, whichever message of it is near. */
function placeKey(place: Place): string {
  return place.view === 'messages' ? narrowKey(place.narrow) : Object.values(place).join('/');
}

/** Links to places, each with a menu. The one where the person is is marked, always shown, and scrolled to. */
export function PlaceList({ app, entries, shownAtFirst = Infinity, label }: PlaceListProps) {
  const list = useRef<HTMLUListElement>(null);
  const showsAll = useSignal(false);
  const hereKey = placeKey(app.place.value);
  const isHere = ({ place, isCurrent = placeKey(place) === hereKey }: PlaceEntry): boolean =>
    isCurrent;
  const shown = entries.filter(
    (entry, index) =>
      showsAll.value ||
      index < shownAtFirst ||
      isHere(entry) ||
      ((entry.count ?? 0) > 0 && entry.isQuiet !== true),
  );
  useEffect(() => showCurrent(list.current), [shown.some(isHere) && hereKey]);
  return (
    <ul ref={list} aria-label={label}>
      {shown.map((entry) => {
        const { place, mark, name, detail, count = 0, isQuiet = false, beside, below } = entry;
        const address = app.addressOf(place);
        return (
          <li key={placeKey(place)}>
            <a
              class="place"
              href={address}
              aria-current={isHere(entry) ? 'page' : undefined}
              data-quiet={isQuiet}
            >
              {mark}
              <span class="line" dir="auto">
                {name}
              </span>
              {detail !== undefined && <small class="line">{detail}</small>}
              <UnreadCount count={count} />
            </a>
            {beside ?? <PlaceMenu app={app} address={address} label={texts.places.menuOf(name)} />}
            {below}
          </li>
        );
      })}
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
