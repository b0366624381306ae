/** What people, topics, conversations and places are called in the page. */
import type { App } from '../../data/app.ts';
import { conversationOf, shownStreamIdOf } from '../../data/narrow.ts';
import type { Conversation, Narrow } from '../../data/narrow.ts';
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { namedPlaces, textOfNarrow } from '../search/search-text.ts';

export function nameOf({ people }: State, userId: number): string {
  return people.value.get(userId)?.full_name ?? texts.compose.unknownPerson;
}

/** Several people in a line of text. */
export function namesOf(state: State, userIds: readonly number[]): string {
  return userIds.map((id) => nameOf(state, id)).join(', ');
}

export function topicName(topic: string): string {
  return topic === '' ? texts.compose.noTopic : topic;
}

export function streamName({ streams, formerStreams }: State, streamId: number): string {
  const name = streams.value.get(streamId)?.name ?? formerStreams.value.get(streamId);
  return name ?? texts.messages.unknownStream;
}

/** `#stream > topic`, or the people. */
export function nameOfConversation(state: State, conversation: Conversation): string {
  if (conversation.type === 'private')
    return namesOf(state, conversation.userIds) || texts.compose.people;
  return `#${streamName(state, conversation.streamId)} > ${topicName(conversation.topic)}`;
}

/** What messages are shown, in a few words. */
export function titleOfNarrow({ state }: App, narrow: Narrow): string {
  const conversation = conversationOf(narrow);
  if (conversation !== undefined) return nameOfConversation(state, conversation);
  const streamId = shownStreamIdOf(narrow);
  if (streamId !== undefined) return `#${streamName(state, streamId)}`;
  const text = textOfNarrow(narrow, state);
  return namedPlaces[text] ?? texts.messages.search(text);
}

/** What the window shows, in a few words. */
export function titleOfPlace(app: App): string {
  const place = app.place.value;
  if (place.view === 'messages') return titleOfNarrow(app, place.narrow);
  return place.view === 'settings' ? texts.shell.settings : texts.navigation[place.view];
}
