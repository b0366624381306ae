import type { App } from '../../data/app.ts';
import { conversationOf, streamIdOf } from '../../data/narrow.ts';
import type { Narrow } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../parts/names.ts';
import { namedPlaces, textOfNarrow } from '../search/search-text.ts';

/** What messages are shown, in a few words. */
export function titleOfNarrow({ state }: App, narrow: Narrow): string {
  const conversation = conversationOf(narrow);
  if (conversation !== undefined) return nameOfConversation(state, conversation);
  const stream = narrow.length === 1 && state.streams.value.get(streamIdOf(narrow) ?? 0);
  if (stream) return `#${stream.name}`;
  const text = textOfNarrow(narrow, state);
  return namedPlaces[text] ?? texts.messages.search(text);
}

/** What the window shows, in a few words. */
export function titleOfPlace(app: App): string {
  const place = app.place.value;
  if (place.view === 'messages') return titleOfNarrow(app, place.narrow);
  return place.view === 'settings' ? texts.shell.settings : texts.navigation[place.view];
}
