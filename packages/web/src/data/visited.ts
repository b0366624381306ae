/** Conversations that the person opened in this browser: they find them again without their last message being read. */
import { conversationKey, isConversation, isSameConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import type { AccountStore } from './stored.ts';

const visitedMax = 300;

export function createVisited(store: AccountStore) {
  const stored = store.list('visited', visitedMax, isConversation);
  return {
    /** The latest last. */
    items: stored.items,
    visit(conversation: Conversation): void {
      stored.change((all) => [
        ...all.filter((each) => !isSameConversation(each, conversation)),
        conversation,
      ]);
    },
    /** A conversation has another name from now on. */
    move(from: Conversation, to: Conversation): void {
      stored.change((all) => {
        const renamed = all.map((each) => (isSameConversation(each, from) ? to : each));
        const lastIndexes = new Map(renamed.map((each, index) => [conversationKey(each), index]));
        return renamed.filter((each, index) => lastIndexes.get(conversationKey(each)) === index);
      });
    },
  };
}
