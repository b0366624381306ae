/** What was written and not sent, by conversation. The browser has it at once, and the server after a moment: see `draft-sync.ts`. */
import { computed } from '@preact/signals';

import { isConversation, isSameConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';
import { hasMembers, isNumber, isOptional, isText } from './shapes.ts';
import type { Checked } from './shapes.ts';
import type { AccountStore } from './stored.ts';

/** Drafts of an account; the one changed longest ago goes for another. */
const draftsMax = 200;

const isDraft = hasMembers({
  /** It has one draft at most. */
  conversation: isConversation,
  /** Empty for one that the server is to delete. */
  content: isText,
  /** Milliseconds since 1970. */
  changedAt: isNumber,
  /** Of the server. */
  id: isOptional(isNumber),
  /** The version that the server has, or was sent last: see `versionOf`. */
  synced: isOptional(isText),
  /** The version before that, until the event of the sent one comes. */
  before: isOptional(isText),
});

export type Draft = Checked<typeof isDraft>;

/** Of a draft that the server does not have. */
export const unsynced = { id: undefined, synced: undefined, before: undefined };

/** Puts texts one after the other, as far as there are any. */
export function joinTexts(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text.trim() !== '').join('\n\n');
}

/** Of two versions of a text nothing is lost. */
export function mergeTexts(one: string, other: string): string {
  if (one.includes(other.trim())) return one;
  return other.includes(one.trim()) ? other : joinTexts(one, other);
}

export function createDrafts(store: AccountStore) {
  const stored = store.list<Draft>('drafts', draftsMax, isDraft);
  const all = computed(() =>
    stored.items.value
      .filter(({ content }) => content !== '')
      .toReversed()
      .toSorted((one, other) => other.changedAt - one.changedAt),
  );

  function find(conversation: Conversation) {
    return all.value.find((draft) => isSameConversation(draft.conversation, conversation));
  }

  /** Keeps a text in place of the conversation's earlier one; a text of white space alone is no draft. */
  function save(conversation: Conversation, text: string): void {
    const content = text.trim() === '' ? '' : text;
    stored.change((drafts) => {
      const ofIt = drafts.filter((each) => isSameConversation(each.conversation, conversation));
      const earlier = ofIt.find((each) => each.content !== '') ?? ofIt[0];
      const others = drafts.filter((each) => each !== earlier);
      if (content === '' && earlier?.id === undefined && earlier?.before === undefined)
        return others;
      return [
        ...others,
        { ...(earlier ?? unsynced), conversation, content, changedAt: Date.now() },
      ];
    });
  }

  return {
    /** The one changed last first. */
    all,
    /** With what the server is to delete. */
    stored,
    /** Versions that the server refused, so that they are not sent again. */
    refused: new Set<string>(),
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
      const moved = find(from);
      if (moved === undefined) return;
      if (find(to) === undefined || isSameConversation(from, to))
        // The same one for the server too, so that all devices move one.
        stored.change((drafts) =>
          drafts.map((each) =>
            each.content !== '' && isSameConversation(each.conversation, from)
              ? { ...each, conversation: to }
              : each,
          ),
        );
      else {
        save(from, '');
        save(to, joinTexts(find(to)?.content, moved.content));
      }
    },
    delete: (conversation: Conversation): void => save(conversation, ''),
  };
}

export type Drafts = ReturnType<typeof createDrafts>;
