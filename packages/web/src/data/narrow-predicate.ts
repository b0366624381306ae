import { foldName } from '@parley/api/fold';

import { conversationOfMessage } from './conversation.ts';
import type { Narrow, NarrowTerm } from './narrow.ts';
import type { Message, State } from './state.ts';
import { mentionOf } from './unread.ts';

type Verdict = boolean | undefined;

function isSameName(one: string, other: unknown): boolean {
  return foldName(one) === foldName(String(other));
}

function judgeFlag(flag: unknown, { flags }: Message, isPrivate: boolean): Verdict {
  switch (flag) {
    case 'private':
      return isPrivate;
    case 'starred':
      return flags.includes('starred');
    case 'mentioned':
      return mentionOf(flags) !== undefined;
    case 'alerted':
      return flags.includes('has_alert_word');
    case 'unread':
      return !flags.includes('read');
    default:
      return undefined;
  }
}

function judgeTerm({ operator, operand }: NarrowTerm, message: Message, state: State): Verdict {
  const conversation = conversationOfMessage(message, state);
  switch (operator) {
    case 'stream':
      return (
        conversation.type === 'stream' &&
        (typeof operand === 'number'
          ? conversation.streamId === operand
          : isSameName(state.streams.peek().get(conversation.streamId)?.name ?? '', operand))
      );
    case 'topic':
      return conversation.type === 'stream' && isSameName(conversation.topic, operand);
    case 'pm-with':
      return typeof operand === 'object'
        ? conversation.type === 'private' && conversation.userIds.join() === operand.join()
        : undefined;
    case 'sender':
      return message.sender_id === operand || isSameName(message.sender_email, operand);
    case 'id':
      return message.id === Number(operand);
    case 'is':
      return judgeFlag(operand, message, conversation.type === 'private');
    default:
      return undefined;
  }
}

/**
 * Whether a message belongs to a narrow, as far as the client can tell.
 *
 * @returns a function that returns undefined for what only the server can judge, such as words searched for
 */
export function narrowPredicate(narrow: Narrow, state: State): (message: Message) => Verdict {
  return (message) => {
    let isCertain = true;
    for (const term of narrow) {
      const verdict = judgeTerm(term, message, state);
      if (verdict === undefined) isCertain = false;
      else if (verdict === (term.negated === true)) return false;
    }
    return isCertain ? true : undefined;
  };
}
