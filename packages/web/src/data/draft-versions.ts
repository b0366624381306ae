/**
 * What becomes of the drafts in a browser and of those on the server, where both have changed. All devices that know the same come to the same,
 * and nothing that somebody typed is lost.
 */
import { mergeTexts, unsynced } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { conversationKey, isSameConversation } from './narrow.ts';
import type { Conversation } from './narrow.ts';

/** A draft of the server that is for one conversation. */
export type ServerDraft = {
  readonly id: number;
  readonly conversation: Conversation;
  readonly content: string;
  readonly changedAt: number;
};

/** Before it is there. */
export const absent = '';

/** A text that is equal for equal drafts. */
export function versionOf({
  conversation,
  content,
}: Pick<ServerDraft, 'conversation' | 'content'>): string {
  return `${conversationKey(conversation)}\n${content}`;
}

/** Whether the server is to learn of it. */
export function isUnsynced(draft: Draft): boolean {
  return draft.content === '' ? draft.id !== undefined : versionOf(draft) !== draft.synced;
}

/** Whether the event of what was sent has not come. */
function isOnItsWay({ before }: Draft): boolean {
  return before !== undefined;
}

/** The server has nothing of it, or no longer. */
export function asNew({ conversation, content, changedAt }: Draft): Draft {
  return { ...unsynced, conversation, content, changedAt };
}

/** What becomes of a draft that the server does not have. */
function afterLoss(draft: Draft): readonly Draft[] {
  // It was just added.
  if (draft.id === undefined || draft.before === absent) return [draft];
  const isTyped = draft.content !== '' && (isUnsynced(draft) || isOnItsWay(draft));
  return isTyped ? [asNew(draft)] : [];
}

/** What becomes of a draft by the version of the server. */
function afterVersion(draft: Draft, server: ServerDraft): Draft {
  const version = versionOf(server);
  if (version === draft.synced) return { ...draft, before: undefined };
  if (version === draft.before) return draft;
  const isOwn = isUnsynced(draft) || isOnItsWay(draft);
  // What is being deleted here was changed there.
  if (!isOwn || draft.content === '') return asKnown(server);
  return {
    ...draft,
    content: mergeTexts(server.content, draft.content),
    // What is on its way replaces that version.
    ...(isOnItsWay(draft) ? { before: version } : { synced: version }),
  };
}

/** The server is to delete it. If somebody changes it there before, it stays. */
function asDeleted(draft: Draft): Draft {
  return { ...draft, content: '' };
}

function asKnown(server: ServerDraft): Draft {
  return { ...server, synced: versionOf(server), before: undefined };
}

/** What becomes of two drafts of one conversation: the one that was there first has both texts. */
function afterSecond(draft: Draft, server: ServerDraft): readonly Draft[] {
  const version = versionOf(server);
  const { id } = draft;
  if (id === undefined) {
    if (draft.synced === version) return [{ ...draft, id: server.id, before: undefined }];
    // Once it has its id, both are compared.
    if (isOnItsWay(draft)) return [draft];
    const content = mergeTexts(server.content, draft.content);
    return [{ ...draft, id: server.id, synced: version, content }];
  }
  if (id < server.id)
    return [
      asDeleted(asKnown(server)),
      { ...draft, content: mergeTexts(draft.content, server.content) },
    ];
  const content = mergeTexts(server.content, draft.content);
  return [
    asDeleted(draft),
    { ...draft, id: server.id, content, synced: version, before: undefined },
  ];
}

/** For where nothing is on its way any more, whatever came of it: the version of the server counts. */
export function settle(drafts: readonly Draft[], server: readonly ServerDraft[]): readonly Draft[] {
  return drafts.flatMap((draft) => {
    if (!isOnItsWay(draft)) return [draft];
    const there = server.find(({ id }) => id === draft.id);
    if (there !== undefined) return [{ ...draft, synced: versionOf(there), before: undefined }];
    return draft.content === '' ? [] : [asNew(draft)];
  });
}

/** @returns the drafts of the browser after a look at those of the server */
export function reconcile(
  drafts: readonly Draft[],
  server: readonly ServerDraft[],
): readonly Draft[] {
  const ids = new Set(server.map(({ id }) => id));
  let all = drafts.flatMap((each) =>
    each.id === undefined || ids.has(each.id) ? [each] : afterLoss(each),
  );
  for (const each of server.toSorted((one, other) => one.id - other.id)) {
    const own = all.find(({ id }) => id === each.id);
    const twin = all.find(
      ({ content, conversation }) =>
        content !== '' && isSameConversation(conversation, each.conversation),
    );
    const known = own ?? twin;
    const next =
      own !== undefined
        ? [afterVersion(own, each)]
        : twin !== undefined
          ? afterSecond(twin, each)
          : [asKnown(each)];
    all =
      known === undefined ? [...all, ...next] : all.flatMap((it) => (it === known ? next : [it]));
  }
  return all;
}
