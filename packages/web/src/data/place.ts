/** Where the reader is: what the address in the browser says. */
import {
  addressOfNarrow,
  allMessages,
  conversationOf,
  parseNarrowAddress,
  streamIdOf,
} from './narrow.ts';
import type { AddressNames, Conversation, Narrow } from './narrow.ts';

/** Where in a list a reader was, by the ids of messages. */
export type Position = {
  /** The first one in sight. */
  readonly topId?: number | undefined;
  /** How far it was below the upper edge, in pixels. */
  readonly offset?: number | undefined;
  /** The one with the focus. */
  readonly selectedId?: number | undefined;
};

/** Messages, of which one may be shown first. */
export type MessagesPlace = {
  readonly view: 'messages';
  readonly narrow: Narrow;
  readonly near?: number | undefined;
  /** Where the reader who comes back was; the address does not tell. */
  readonly at?: Position | undefined;
};

export type Place =
  /** Conversations by their last message; the home. */
  | { readonly view: 'recent' }
  /** All that is unread. */
  | { readonly view: 'inbox' }
  | MessagesPlace
  | { readonly view: 'drafts' }
  /** What is to be sent later. */
  | { readonly view: 'scheduled' }
  /** The section's name is one of the settings page's. */
  | { readonly view: 'settings'; readonly section: string }
  /** All streams that the person may see; with one of them, its settings and people. */
  | { readonly view: 'streams'; readonly streamId: number | undefined };

/** The message that its list begins at, if the place says so. */
export function startOf({ near, at }: MessagesPlace): number | undefined {
  return at?.topId ?? at?.selectedId ?? near;
}

/** The conversation that a place shows, if it shows exactly one. */
export function conversationAt(place: Place): Conversation | undefined {
  return place.view === 'messages' ? conversationOf(place.narrow) : undefined;
}

/** The stream that all messages of a place are in. */
export function streamIdAt(place: Place): number | undefined {
  return place.view === 'messages' ? streamIdOf(place.narrow) : undefined;
}

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
