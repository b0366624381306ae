import { defineEndpoint, exampleVariables, pathInteger, text } from '@parley/http';

import { deleteTopicFor } from '../changing/delete-topic.ts';
import type { MessagesContext } from '../context.ts';

/** POST streams/<id>/delete_topic (reference facts, streams 8.3). */
export const deleteTopicEndpoint = defineEndpoint({
  name: 'delete-topic',
  method: 'POST',
  path: '/streams/:stream_id/delete_topic',
  summary: 'Delete all messages of a topic for good',
  description:
    'For administrators, in streams that they can read; of a private stream without shared history what they received. Success even if there is no such topic.',
  example: { parameters: { stream_id: exampleVariables.streamId, topic_name: 'varnish' } },
  access: { authentication: 'required', administratorsOnly: true },
  parameters: [
    pathInteger('stream_id', { description: 'The stream' }),
    text('topic_name', { required: true, description: 'The topic, in any letter case' }),
  ],
  response: { type: 'object', properties: {} },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await deleteTopicFor(context, caller, parameters.stream_id, parameters.topic_name);
    return {};
  },
});
