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
