/** What the store should say of read state, kept in the plainest way: one row per user and message. */

export const userCount = 3;
export const streamCount = 2;
export const topicCount = 3;
// Conversations: topics 0..5 (stream = index / topicCount), then pairs and groups of these people.
export const privateGroups = [[0], [0, 1], [1, 2], [0, 1, 2]] as const;
export const conversationCount = streamCount * topicCount + privateGroups.length;

type Held = { read: boolean; starred: boolean; historical: boolean };
export type ModelMessage = {
  readonly id: number;
  readonly sender: number;
  readonly wildcard: boolean;
  /** Who was named has his flag from the send on; it counts from when he holds the message. */
  readonly named: readonly number[];
  conversation: number;
  readonly rows: Map<number, Held>;
};

export class Model {
  readonly messages: ModelMessage[] = [];
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
