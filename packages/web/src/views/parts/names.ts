/** What people, topics and conversations are called in the page. */
import type { Conversation } from '../../data/narrow.ts';
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';

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

/** `#stream > topic`, or the people. */
export function nameOfConversation(state: State, conversation: Conversation): string {
  if (conversation.type === 'private') return namesOf(state, conversation.userIds);
  const stream = state.streams.value.get(conversation.streamId);
  const name = stream === undefined ? texts.messages.unknownStream : `#${stream.name}`;
  return `${name} > ${topicName(conversation.topic)}`;
}
