import type { Conversation } from '../../data/narrow.ts';
import type { State } from '../../data/state.ts';
import { texts } from '../../texts.ts';

/** What a conversation is called: `#stream > topic`, or its people. */
export function nameOfConversation({ streams, people }: State, conversation: Conversation): string {
  if (conversation.type === 'stream') {
    const name = streams.value.get(conversation.streamId)?.name ?? '?';
    return `#${name} > ${conversation.topic || texts.compose.noTopic}`;
  }
  return conversation.userIds
    .map((id) => people.value.get(id)?.full_name ?? texts.compose.unknownPerson)
    .join(', ');
}
