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

/** Equal for places that are one entry of the navigation, whichever message of it is near. */
export function placeKey(place: Place): string {
  return place.view === 'messages' ? narrowKey(place.narrow) : place.view;
}

/** An entry of the navigation: a link to a place, marked if the person is there. */
export function PlaceLink({
  app,
  place,
  mark,
  name,
  count,
  isQuiet = false,
}: {
  readonly app: App;
  readonly place: Place;
  /** What stands before the name. */
  readonly mark?: ComponentChildren;
  readonly name: string;
  /** Unread messages there. */
  readonly count: number;
  /** Muted, or of little interest now. */
  readonly isQuiet?: boolean;
}) {
  return (
    <a
      class="place"
      href={app.addressOf(place)}
      aria-current={placeKey(app.place.value) === placeKey(place) ? 'page' : undefined}
      data-quiet={isQuiet}
    >
      {mark}
      <span class="line">{name}</span>
      <UnreadCount count={count} />
    </a>
  );
}
