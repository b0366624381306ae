import type { Conversation } from './narrow.ts';
import type { Message } from './state.ts';

/** @param selfId the signed-in person, who is not named in conversations with others */
export function conversationOfMessage(message: Message, selfId: number): Conversation {
  if (message.type === 'stream')
    return { type: 'stream', streamId: message.stream_id, topic: message.subject };
  const everybody = message.display_recipient.map(({ id }) => id);
  const others = everybody.filter((id) => id !== selfId);
  return {
    type: 'private',
    userIds: (others.length === 0 ? [selfId] : others).toSorted((one, other) => one - other),
  };
}
