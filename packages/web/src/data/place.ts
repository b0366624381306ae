/** Where the reader is: what the address in the browser says. */
import { addressOfNarrow, allMessages, parseNarrowAddress } from './narrow.ts';
import type { AddressNames, Narrow } from './narrow.ts';

export type Place =
  /** Conversations by their last message; the home. */
  | { readonly view: 'recent' }
  /** All that is unread. */
  | { readonly view: 'inbox' }
  | { readonly view: 'messages'; readonly narrow: Narrow; readonly near?: number | undefined }
  | { readonly view: 'drafts' }
  /** What is to be sent later. */
  | { readonly view: 'scheduled' }
  /** The section's name is one of the settings page's. */
  | { readonly view: 'settings'; readonly section: string }
  /** All streams that the person may see; with one of them, its settings and people. */
  | { readonly view: 'streams'; readonly streamId: number | undefined };

export const home: Place = { view: 'recent' };

/** @returns what is marked as read at a place; undefined where nothing is unread */
export function narrowToRead(place: Place): Narrow | undefined {
  if (place.view === 'messages') return place.narrow;
  return place.view === 'recent' || place.view === 'inbox' ? allMessages : undefined;
}

export function parsePlace(fragment: string): Place {
  const messages = parseNarrowAddress(fragment);
  if (messages !== undefined) return { view: 'messages', ...messages };
  const [view, part] = fragment.replace(/^#/, '').split('/');
  if (view === 'inbox' || view === 'drafts' || view === 'scheduled') return { view };
  if (view === 'settings') return { view, section: part ?? '' };
  if (view === 'streams')
    return { view, streamId: /^\d{1,15}$/.test(part ?? '') ? Number(part) : undefined };
  return home;
}

export function addressOfPlace(place: Place, names: AddressNames): string {
  switch (place.view) {
    case 'messages':
      return addressOfNarrow(place.narrow, names, place.near);
    case 'settings':
      return `#settings/${place.section}`;
    case 'streams':
      return place.streamId === undefined ? '#streams' : `#streams/${place.streamId}`;
    default:
      return `#${place.view}`;
  }
}
