import type { Draft as DraftObject } from '@parley/api/messages';
import type { Draft } from '../index.ts';

/** A draft as its author sees it. */
export function draftJson(draft: Draft): DraftObject {
  const { id, type, recipientIds, topic, content, writtenAtSecs } = draft;
  return { id, type, to: [...recipientIds], topic, content, timestamp: writtenAtSecs };
}
