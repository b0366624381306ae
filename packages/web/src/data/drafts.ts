/** What was written and not sent, by conversation. */
import { computed } from '@preact/signals';

import { isConversation, isSameConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import { hasMembers, isNumber, isText } from './shapes.ts';
import type { AccountStore } from './stored.ts';

/** Drafts of an account; the one changed longest ago goes for another. */
const draftsMax = 200;

const isDraft = hasMembers({
  /** It has one draft at most. */
  conversation: isConversation,
  content: isText,
  /** Milliseconds since 1970. */
  changedAt: isNumber,
});

/** Puts texts one after the other, as far as there are any. */
export function joinTexts(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text.trim() !== '').join('\n\n');
}

export function createDrafts(store: AccountStore) {
  const stored = store.list('drafts', draftsMax, isDraft);

  function find(conversation: Conversation) {
    return stored.items.value.find((draft) => isSameConversation(draft.conversation, conversation));
  }

  /** Keeps a text in place of the conversation's earlier one; a text of white space alone is no draft. */
  function save(conversation: Conversation, content: string): void {
    const draft = { conversation, content, changedAt: Date.now() };
    stored.change((drafts) => [
      ...drafts.filter((each) => !isSameConversation(each.conversation, conversation)),
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
      save(conversation, joinTexts(find(conversation)?.content, content));
    },
    /** Keeps the text of a conversation after that of another one. */
    move(from: Conversation, to: Conversation): void {
      // Another tab may have moved it.
      stored.reread();
      const moved = find(from)?.content;
      if (moved === undefined) return;
      save(from, '');
      save(to, joinTexts(find(to)?.content, moved));
    },
    delete: (conversation: Conversation): void => save(conversation, ''),
  };
}
