import type { ParametersOf } from '@parley/client';

import { partnersOf } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { Message, State } from './state.ts';

export function conversationOfMessage(message: Message, { self }: State): Conversation {
  if (message.type === 'stream')
    return { type: 'stream', streamId: message.stream_id, topic: message.subject };
  const everybody = message.display_recipient.map(({ id }) => id);
  return { type: 'private', userIds: partnersOf(everybody, self.peek().user_id) };
}

/** Where a message goes, in the parameters of a send. */
export function recipientsOf(
  conversation: Conversation,
): Pick<ParametersOf<'POST /messages'>, 'type' | 'to' | 'topic'> {
  return conversation.type === 'stream'
    ? { type: 'stream', to: String(conversation.streamId), topic: conversation.topic }
    : { type: 'private', to: JSON.stringify(conversation.userIds) };
}
