import type { Conversation } from '../../data/narrow.ts';
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';
import { namesOf, topicName } from '../parts/names.ts';

/** What a conversation is called: `#stream > topic`, or its people. */
export function nameOfConversation(state: State, conversation: Conversation): string {
  if (conversation.type === 'private') return namesOf(state, conversation.userIds);
  const stream = state.streams.value.get(conversation.streamId);
  const name = stream === undefined ? texts.messages.unknownStream : `#${stream.name}`;
  return `${name} > ${topicName(conversation.topic)}`;
}
