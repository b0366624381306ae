/** What was written and not sent, by conversation. */
import { computed } from '@preact/signals';

import { conversationKey, isConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import { hasMembers, isNumber, isText } from './shapes.ts';
import type { AccountStore } from './stored.ts';

/** Drafts of an account; the one changed longest ago goes for another. */
const draftsMax = 200;

const isDraft = hasMembers({
  /** The conversation's key: a conversation has one draft at most. */
  key: isText,
  conversation: isConversation,
  content: isText,
  /** Milliseconds since 1970. */
  changedAt: isNumber,
});

export function createDrafts(store: AccountStore) {
  const stored = store.list('drafts', draftsMax, isDraft);

  function find(conversation: Conversation) {
    const key = conversationKey(conversation);
    return stored.items.value.find((draft) => draft.key === key);
  }

  /** Keeps a text in place of the conversation's earlier one; a text of white space alone is no draft. */
  function save(conversation: Conversation, content: string): void {
    const key = conversationKey(conversation);
    const draft = { key, conversation, content, changedAt: Date.now() };
    stored.change((drafts) => [
      ...drafts.filter((each) => each.key !== key),
      ...(content.trim() === '' ? [] : [draft]),
    ]);
  }

  return {
    /** The one changed last first. */
    all: computed(() => stored.items.value.toReversed()),
    find,
    save,
    /** Keeps a text after the conversation's earlier one. */
    append(conversation: Conversation, content: string): void {
      save(conversation, [find(conversation)?.content, content].filter(Boolean).join('\n\n'));
    },
    delete: (conversation: Conversation): void => save(conversation, ''),
  };
}
