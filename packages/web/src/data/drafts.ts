/** What was written and not sent, by conversation. */
import { computed } from '@preact/signals';

import { conversationKey, isConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import { hasMembers, isNumber, isText } from './shapes.ts';
import type { Checked } from './shapes.ts';
import type { AccountStore, StoredList } from './stored.ts';

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

type Draft = Checked<typeof isDraft>;

export class Drafts {
  /** The one changed last first. */
  readonly all = computed(() => this.#stored.items.value.toReversed());
  readonly #stored: StoredList<Draft>;

  constructor(store: AccountStore) {
    this.#stored = store.list('drafts', draftsMax, isDraft);
  }

  find(conversation: Conversation): Draft | undefined {
    const key = conversationKey(conversation);
    return this.#stored.items.value.find((draft) => draft.key === key);
  }

  /** Keeps a text in place of the conversation's earlier one; a text of white space alone is no draft. */
  save(conversation: Conversation, content: string): void {
    const key = conversationKey(conversation);
    const draft = { key, conversation, content, changedAt: Date.now() };
    this.#stored.change((drafts) => [
      ...drafts.filter((each) => each.key !== key),
      ...(content.trim() === '' ? [] : [draft]),
    ]);
  }

  /** Keeps a text after the conversation's earlier one. */
  append(conversation: Conversation, content: string): void {
    const earlier = this.find(conversation)?.content;
    this.save(conversation, [earlier, content].filter(Boolean).join('\n\n'));
  }

  delete(conversation: Conversation): void {
    this.save(conversation, '');
  }
}
