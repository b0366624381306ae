import type { EditRecord } from '@parley/store';
import type { ImportedEdit } from '@parley/store/imports';

import type { PreparedMessage } from './prepare-messages.ts';

/** The edits of a message: rows of the past, oldest first, and the list that the message itself shows, newest first. */
export function editsOf(
  { record, number, content, earlier, text }: PreparedMessage,
  userIdOf: (person: number) => number,
): { readonly rows: readonly ImportedEdit[]; readonly shown: readonly EditRecord[] } {
  const rows: ImportedEdit[] = [];
  const shown: EditRecord[] = [];
  let state = {
    topic: 'stream' in record.to ? record.to.topic : '',
    content,
    rendered_content: text.html,
  };
  let nth = 0;
  for (const { editor, editedAt, previousContent, previousTopic } of record.edits) {
    const past = previousContent === undefined ? undefined : text.earlier[nth];
    const pastContent = past === undefined ? undefined : earlier[nth];
    if (previousContent !== undefined) nth += 1;
    const editorId = userIdOf(editor ?? record.sender);
    rows.push({
      message_id: number.id,
      editor_id: editorId,
      edited_at: editedAt,
      ...state,
      prev_topic: previousTopic ?? null,
      prev_content: pastContent ?? null,
      prev_rendered_content: past?.html ?? null,
      content_html_diff: past?.diff ?? null,
    });
    shown.push({
      user_id: editorId,
      timestamp: Math.floor(editedAt),
      ...(previousTopic === undefined ? {} : { prev_subject: previousTopic }),
      ...(past === undefined || pastContent === undefined
        ? {}
        : {
            prev_content: pastContent,
            prev_rendered_content: past.html,
            prev_rendered_content_version: 1,
          }),
    });
    state = {
      topic: previousTopic ?? state.topic,
      content: pastContent ?? state.content,
      rendered_content: past?.html ?? state.rendered_content,
    };
  }
  return { rows: rows.toReversed(), shown };
}
