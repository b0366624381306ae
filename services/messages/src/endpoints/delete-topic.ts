import { deleteTopicEndpoint } from '@parley/api/messages';
import { implement } from '@parley/server';

import { deleteTopicFor } from '../changing/delete-topic.ts';
import type { MessagesContext } from '../context.ts';

/** POST streams/<id>/delete_topic (reference facts, streams 8.3). */
export const deleteTopicHandler = implement(
  deleteTopicEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await deleteTopicFor(context, caller, parameters.stream_id, parameters.topic_name);
    return {};
  },
);
