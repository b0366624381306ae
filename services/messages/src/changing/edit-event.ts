import { limits } from '@parley/api';
import type { UpdateWithoutFlags } from '@parley/event-log';
import type { EditRecord, EditedMessageFacts, MessageFacts } from '@parley/store';

import type { PropagateMode } from './check-edit.ts';

/** The version of the renderer, which events contain beside an earlier rendering. There has been only one. */
const renderingVersion = 1;

/** The effect of an edit on a message. */
export type EditDone = {
  /** Before the edit. */
  readonly before: MessageFacts;
  readonly stream: EditedMessageFacts['stream'];
  readonly editor: { readonly id: number; readonly email: string };
  /** Unix time. */
  readonly editedAtSecs: number;
  readonly content?: {
    readonly content: string;
    readonly renderedContent: string;
    readonly isMeMessage: boolean;
  };
  readonly topic?: {
    readonly topic: string;
    readonly subjectLinks: readonly string[];
    readonly propagateMode: PropagateMode;
    /** The other messages that got it, ascending. */
    readonly movedIds: readonly number[];
  };
};

/**
 * The `update_message` event (reference facts, events 11.2; messages 12.1). It does not list mentioned people: the lists of ids that the
 * reference adds for its own notifications could reveal people to recipients who may not know of them.
 */
export function editEvent(done: EditDone): UpdateWithoutFlags {
  const { before, stream, editor, content, topic } = done;
  return {
    type: 'update_message',
    user_id: editor.id,
    sender: editor.email,
    message_id: before.id,
    message_ids: [before.id, ...(topic?.movedIds ?? [])],
    edit_timestamp: done.editedAtSecs,
    ...(stream === undefined ? {} : { stream_name: stream.name, stream_id: stream.id }),
    ...(content === undefined
      ? {}
      : {
          orig_content: before.content,
          orig_rendered_content: before.renderedContent,
          prev_rendered_content_version: renderingVersion,
          content: content.content,
          rendered_content: content.renderedContent,
          is_me_message: content.isMeMessage,
        }),
    ...(topic === undefined
      ? {}
      : {
          orig_subject: before.topic,
          subject: topic.topic,
          subject_links: topic.subjectLinks,
          propagate_mode: topic.propagateMode,
        }),
  };
}

/** The most characters of earlier texts that a message lists. */
const recordsTextMax = 1_000_000;

/** @returns `edit_history` of the message after the edit, newest first (reference facts, messages 5.6) */
export function editHistoryAfter(earlier: readonly EditRecord[], done: EditDone): EditRecord[] {
  const { before, content, topic } = done;
  const newest: EditRecord = {
    user_id: done.editor.id,
    timestamp: done.editedAtSecs,
    ...(topic === undefined ? {} : { prev_subject: before.topic }),
    ...(content === undefined
      ? {}
      : {
          prev_content: before.content,
          prev_rendered_content: before.renderedContent,
          prev_rendered_content_version: renderingVersion,
        }),
  };
  const kept: EditRecord[] = [newest];
  let textLength = 0;
  for (const record of earlier.slice(0, limits.editsListedMax - 1)) {
    textLength += (record.prev_content ?? '').length + (record.prev_rendered_content ?? '').length;
    if (textLength > recordsTextMax) break;
    kept.push(record);
  }
  return kept;
}
