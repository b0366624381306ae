/** What stands between messages: days, conversations, and who wrote several in a row. */
import { conversationOfMessage } from '../../data/conversation.ts';
import { conversationKey } from '../../data/narrow.ts';
import type { Message } from '../../data/state.ts';

/** Messages of one person within this time stand under one name. */
const togetherSecs = 10 * 60;

export type Place = {
  /** The day begins with this message. */
  readonly beginsDay: boolean;
  /** Another conversation begins with it. */
  readonly beginsConversation: boolean;
  /** It shows its sender. */
  readonly showsSender: boolean;
};

function isSameDay(one: Message, other: Message): boolean {
  return (
    new Date(one.timestamp * 1_000).toDateString() ===
    new Date(other.timestamp * 1_000).toDateString()
  );
}

/** @param previous the message above it */
export function placeOf(message: Message, previous: Message | undefined, selfId: number): Place {
  if (previous === undefined)
    return { beginsDay: true, beginsConversation: true, showsSender: true };
  const beginsDay = !isSameDay(message, previous);
  const beginsConversation =
    conversationKey(conversationOfMessage(message, selfId)) !==
    conversationKey(conversationOfMessage(previous, selfId));
  return {
    beginsDay,
    beginsConversation: beginsConversation || beginsDay,
    showsSender:
      beginsDay ||
      beginsConversation ||
      message.sender_id !== previous.sender_id ||
      message.is_me_message ||
      previous.is_me_message ||
      message.timestamp - previous.timestamp > togetherSecs,
  };
}
