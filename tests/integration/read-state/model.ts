/** The expected read state, in the simplest form: one row per user and message. */
import { flagBits } from '@parley/store';

export const userCount = 3;
export const streamCount = 2;
export const topicCount = 3;
// Conversations: topics 0..5 (stream = index / topicCount), then pairs and groups of these people.
export const privateGroups = [[0], [0, 1], [1, 2], [0, 1, 2]] as const;
export const conversationCount = streamCount * topicCount + privateGroups.length;

/** Flags that a user has set or cleared, by bit; the others follow from the message. */
type Held = { read: boolean; historical: boolean; readonly byHand: Map<number, boolean> };
/** A message that a user holds only later implies no flags, because it was not addressed to that user. */
export const nothingImplied: readonly (readonly [bit: number, isSet: boolean])[] = [
  [flagBits.mentioned, false],
  [flagBits.wildcard_mentioned, false],
  [flagBits.has_alert_word, false],
];

export type ModelMessage = {
  readonly id: number;
  readonly sender: number;
  readonly sentAtSecs: number;
  readonly wildcard: boolean;
  /** A mentioned user has the flag from the send on; it counts once the user holds the message. */
  readonly named: readonly number[];
  /** Users in mentioned groups, and users whose alert words occur: flags for holders only. */
  readonly groupNamed: readonly number[];
  readonly alerted: readonly number[];
  conversation: number;
  readonly rows: Map<number, Held>;
};

/** Whether a message that the user holds has the flag; not for `read`. */
export function hasFlag(message: ModelMessage, user: number, bit: number): boolean {
  const row = message.rows.get(user);
  if (row === undefined) return false;
  const byHand = row.byHand.get(bit);
  if (byHand !== undefined) return byHand;
  if (bit === flagBits.mentioned)
    return message.named.includes(user) || message.groupNamed.includes(user);
  if (bit === flagBits.wildcard_mentioned) return message.wildcard;
  if (bit === flagBits.has_alert_word) return message.alerted.includes(user);
  return bit === flagBits.historical && row.historical;
}

export class Model {
  messages: ModelMessage[] = [];
  readonly members = new Set<string>();
  readonly mutedStreams = new Set<string>();
  readonly mutedTopics = new Set<string>();

  static streamOf(conversationIndex: number): number | undefined {
    return conversationIndex < streamCount * topicCount
      ? Math.trunc(conversationIndex / topicCount)
      : undefined;
  }
  static peopleOf(conversationIndex: number): readonly number[] {
    return privateGroups[conversationIndex - streamCount * topicCount] ?? [];
  }
  isMember(user: number, streamIndex: number): boolean {
    return this.members.has(`${user}/${streamIndex}`);
  }
  isMuted(user: number, conversationIndex: number): boolean {
    const streamIndex = Model.streamOf(conversationIndex);
    if (streamIndex === undefined) return false;
    return (
      this.mutedStreams.has(`${user}/${streamIndex}`) ||
      this.mutedTopics.has(`${user}/${conversationIndex}`)
    );
  }
  pick(numbers: readonly number[]): ModelMessage[] {
    return numbers.flatMap((number) => this.messages.at(-1 - number) ?? []);
  }
  unread(user: number, condition: (message: ModelMessage) => boolean): ModelMessage[] {
    return this.messages.filter(
      (message) => message.rows.get(user)?.read === false && condition(message),
    );
  }
  markRead(user: number, messages: readonly ModelMessage[]): void {
    for (const message of messages) {
      const row = message.rows.get(user);
      if (row !== undefined) row.read = true;
    }
  }
}
