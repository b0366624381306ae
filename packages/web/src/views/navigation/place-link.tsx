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

/** Whether two places are one entry of the navigation, whichever message of it is near. */
export function isSamePlace(one: Place, other: Place): boolean {
  if (one.view === 'messages' && other.view === 'messages')
    return narrowKey(one.narrow) === narrowKey(other.narrow);
  return one.view === other.view;
}

/** A link to a place, marked if the person is there. */
export function PlaceLink({
  app,
  place,
  count,
  isQuiet = false,
  children,
}: {
  readonly app: App;
  readonly place: Place;
  /** Unread messages there. */
  readonly count: number;
  /** Muted, or of little interest now. */
  readonly isQuiet?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <a
      class="place"
      href={app.addressOf(place)}
      aria-current={isSamePlace(app.place.value, place) ? 'page' : undefined}
      data-quiet={isQuiet}
    >
      {children}
      <UnreadCount count={count} />
    </a>
  );
}
