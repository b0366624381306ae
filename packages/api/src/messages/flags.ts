import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { integerListParameter, integerParameter, textParameter } from '../declare/parameters.ts';
import { integers, object } from '../declare/schema.ts';

/** Flags of an account on messages, including `read`. Setting one twice is the same as once. */

/** POST messages/flags (contract, Messages; reference facts, messages 10.1 and 21). */
export const changeFlagsEndpoint = declareEndpoint({
  name: 'change-flags',
  method: 'POST',
  path: '/messages/flags',
  service: 'messages',
  tag: 'Messages',
  summary: "Change the caller's own flags on messages",
  description:
    'Answers the ids that the operation applied to; ids of messages that the caller does not hold are ignored.',
  example: { parameters: { messages: [exampleVariables.messageId], op: 'add', flag: 'starred' } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [
    integerListParameter('messages', { required: true, description: 'The ids' }),
    textParameter('op', { required: true, description: '`add` or `remove`' }),
    textParameter('flag', { required: true, description: 'One of the message flags' }),
  ],
  success: object({ messages: integers }),
});

/** POST mark_all_as_read (contract, Messages; reference facts, messages 10.2). */
export const markAllAsReadEndpoint = declareEndpoint({
  name: 'mark-all-as-read',
  method: 'POST',
  path: '/mark_all_as_read',
  service: 'messages',
  tag: 'Messages',
  summary: 'Mark all messages as read',
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [],
  success: object({}),
});

const streamId = integerParameter('stream_id', { required: true, description: 'The stream' });

/** POST mark_stream_as_read (contract, Messages; reference facts, messages 10.2). */
export const markStreamAsReadEndpoint = declareEndpoint({
  name: 'mark-stream-as-read',
  method: 'POST',
  path: '/mark_stream_as_read',
  service: 'messages',
  tag: 'Messages',
  summary: 'Mark all messages of a stream as read',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [streamId],
  success: object({}),
});

/** POST mark_topic_as_read (contract, Messages; reference facts, messages 10.2). */
export const markTopicAsReadEndpoint = declareEndpoint({
  name: 'mark-topic-as-read',
  method: 'POST',
  path: '/mark_topic_as_read',
  service: 'messages',
  tag: 'Messages',
  summary: 'Mark all messages of a topic as read',
  description: 'The topic in any letter case. An empty one marks the whole stream.',
  example: { parameters: { stream_id: exampleVariables.streamId, topic_name: 'tides' } },
  access: { authentication: 'required' },
  afterLoss: 'repeat',
  parameters: [streamId, textParameter('topic_name', { required: true, description: 'The topic' })],
  success: object({}),
});
