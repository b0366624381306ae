import type { ParametersOf } from '@parley/client';

import { partnersOf } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { Message } from './state.ts';

/** @param selfId the signed-in person */
export function conversationOfMessage(message: Message, selfId: number): Conversation {
  return message.type === 'stream'
    ? { type: 'stream', streamId: message.stream_id, topic: message.subject }
    : {
        type: 'private',
        userIds: partnersOf(
          message.display_recipient.map(({ id }) => id),
          selfId,
        ),
      };
}

/** Where a message goes, in the parameters of a send. */
export function recipientsOf(
  conversation: Conversation,
): Pick<ParametersOf<'POST /messages'>, 'type' | 'to' | 'topic'> {
  return conversation.type === 'stream'
    ? { type: 'stream', to: String(conversation.streamId), topic: conversation.topic }
    : { type: 'private', to: JSON.stringify(conversation.userIds) };
}
