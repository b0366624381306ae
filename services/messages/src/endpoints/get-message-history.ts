import { getMessageHistoryEndpoint } from '@parley/api/messages';
import { checkMayReadEditHistory, getVisibleHistory } from '@parley/store/access';
import type { EditSnapshot } from '@parley/api/messages';
import { CallerLeft, CallerReads } from '@parley/database';
import { implement } from '@parley/server';
import { getRealm } from '@parley/store';
import type { PastEdit } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import type { MessageRenderer } from '../rendering/message-renderer.ts';

async function snapshotOf(renderer: MessageRenderer, edit: PastEdit): Promise<EditSnapshot> {
  const { prevTopic, prevContent, prevRenderedContent, renderedContent } = edit;
  return {
    topic: edit.topic,
    ...(prevTopic === null ? {} : { prev_topic: prevTopic }),
    content: edit.content,
    rendered_content: renderedContent,
    ...(prevContent === null || prevRenderedContent === null
      ? {}
      : {
          prev_content: prevContent,
          prev_rendered_content: prevRenderedContent,
          content_html_diff:
            edit.contentHtmlDiff ?? (await renderer.compare(prevRenderedContent, renderedContent)),
        }),
    user_id: edit.editorId,
    timestamp: edit.editedAtSecs,
  };
}

/** GET messages/<id>/history (contract, Message edit snapshot; reference facts, messages 11). */
export const getMessageHistoryHandler = implement(
  getMessageHistoryEndpoint,
  async (context: MessagesContext, { caller, parameters, signal }) => {
    const database = new CallerReads(context.pool, signal);
    checkMayReadEditHistory((await getRealm(database)).settings);
    const { original, edits } = await getVisibleHistory(
      database,
      caller.userId,
      parameters.message_id,
    );
    const first = {
      topic: original.topic,
      content: original.content,
      rendered_content: original.renderedContent,
      user_id: original.senderId,
      timestamp: original.sentAtSecs,
    };
    const snapshots: EditSnapshot[] = [first];
    // One at a time, so that a long history does not block the renderer for others.
    for (const edit of edits) {
      if (signal.aborted) throw new CallerLeft();
      snapshots.push(await snapshotOf(context.renderer, edit));
    }
    return { message_history: snapshots };
  },
);
