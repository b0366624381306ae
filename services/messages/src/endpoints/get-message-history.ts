import { checkMayReadEditHistory, getVisibleHistory } from '@parley/access';
import { editSnapshotSchema } from '@parley/api-schemas';
import { defineEndpoint, exampleVariables, pathInteger } from '@parley/http';
import { getRealm } from '@parley/store';
import type { PastEdit } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import type { MessageRenderer } from '../rendering/message-renderer.ts';

async function snapshotOf(
  renderer: MessageRenderer,
  edit: PastEdit,
): Promise<Record<string, unknown>> {
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
export const getMessageHistoryEndpoint = defineEndpoint({
  name: 'get-message-history',
  method: 'GET',
  path: '/messages/:message_id/history',
  summary: "Get a message's edit history",
  description:
    'Oldest first, beginning with the original. Of a very long history the newest edits are listed.',
  example: { parameters: { message_id: exampleVariables.messageId } },
  access: { authentication: 'required' },
  parameters: [pathInteger('message_id', { description: 'The message' })],
  response: {
    type: 'object',
    properties: { message_history: { type: 'array', items: editSnapshotSchema } },
    required: ['message_history'],
  },
  handler: async (context: MessagesContext, { caller, parameters }) => {
    checkMayReadEditHistory((await getRealm(context.pool)).settings);
    const { original, edits } = await getVisibleHistory(
      context.pool,
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
    const snapshots: Record<string, unknown>[] = [first];
    // One after the other: a long history does not take the renderer from everybody else.
    for (const edit of edits) snapshots.push(await snapshotOf(context.renderer, edit));
    return { message_history: snapshots };
  },
});
