import type { App } from '../../data/app.ts';
import { conversationOf, streamIdOf } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';
import { nameOfConversation } from '../compose/conversation-name.ts';

/** What the window shows, in a few words. */
export function titleOfPlace(app: App): string {
  const place = app.place.value;
  if (place.view !== 'messages') return texts.notifications.places[place.view];
  const conversation = conversationOf(place.narrow);
  if (conversation !== undefined) return nameOfConversation(app.state, conversation);
  const streamId = streamIdOf(place.narrow) ?? 0;
  const stream = app.state.streams.value.get(streamId);
  return stream !== undefined && place.narrow.length === 1
    ? `#${stream.name}`
    : texts.notifications.places.messages;
}
