import type { App } from '../../data/app.ts';
import { conversationOf, streamIdOf } from '../../data/narrow.ts';
import type { Conversation } from '../../data/narrow.ts';
import { texts } from '../../texts.ts';

function nameOfStream({ state }: App, streamId: number): string {
  return `#${state.streams.value.get(streamId)?.name ?? ''}`;
}

/** A conversation in a few words: `#general > hello`, `Ann Lee, Bob Ray`. */
export function titleOfConversation(app: App, conversation: Conversation): string {
  if (conversation.type === 'stream')
    return `${nameOfStream(app, conversation.streamId)} > ${conversation.topic}`;
  const { people } = app.state;
  return conversation.userIds.map((id) => people.value.get(id)?.full_name ?? '').join(', ');
}

/** What the window shows, in a few words. */
export function titleOfPlace(app: App): string {
  const place = app.place.value;
  if (place.view !== 'messages') return texts.notifications.places[place.view];
  const conversation = conversationOf(place.narrow);
  if (conversation !== undefined) return titleOfConversation(app, conversation);
  const streamId = streamIdOf(place.narrow);
  return streamId !== undefined && place.narrow.length === 1
    ? nameOfStream(app, streamId)
    : texts.notifications.places.messages;
}
