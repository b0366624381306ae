import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import { boolean, integer, listOf, object, text, texts } from '../declare/schema.ts';
import { topicSchema } from './objects.ts';

const streamIdParameter = pathInteger('stream_id', { description: 'The stream' });

/** GET get_stream_id (reference facts, streams 4.2). */
export const getStreamIdEndpoint = declareEndpoint({
  name: 'get-stream-id',
  method: 'GET',
  path: '/get_stream_id',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Find the id of a stream',
  example: { parameters: { stream: 'boatyard' } },
  access: { authentication: 'required' },
  parameters: [
    textParameter('stream', {
      required: true,
      description: 'Its name in any letter case; white space around it is ignored',
    }),
  ],
  success: object({ stream_id: integer }),
});

/** GET users/me/{stream_id}/topics (contract, Streams; reference facts, streams 4.3). */
export const listTopicsEndpoint = declareEndpoint({
  name: 'list-topics',
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'List the topics of a stream, newest first',
  description:
    'Topics that differ only in letter case are one. In a private stream without shared history, only topics with messages that the caller received.',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  parameters: [streamIdParameter],
  success: object({ topics: listOf(topicSchema) }),
});

/** GET streams/{stream_id}/members (reference facts, streams 4.4). */
export const listMembersEndpoint = declareEndpoint({
  name: 'list-members',
  method: 'GET',
  path: '/streams/{stream_id}/members',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'List the subscribers of a stream',
  description: 'Email addresses of active people and bots, sorted.',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  parameters: [streamIdParameter],
  success: object({ subscribers: texts }),
});

/** GET users/{user_id}/subscriptions/{stream_id} (reference facts, streams 1). */
export const getSubscriptionStatusEndpoint = declareEndpoint({
  name: 'get-subscription-status',
  method: 'GET',
  path: '/users/{user_id}/subscriptions/{stream_id}',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Get whether an account is subscribed to a stream',
  example: {
    parameters: { user_id: exampleVariables.userId, stream_id: exampleVariables.streamId },
  },
  access: { authentication: 'required' },
  parameters: [pathInteger('user_id', { description: 'The person or bot' }), streamIdParameter],
  success: object({ is_subscribed: boolean }),
});

/** GET streams/{stream_id}/email_address (reference facts, streams 1 and 3.4): incoming mail is not supported. */
export const getStreamEmailEndpoint = declareEndpoint({
  name: 'get-stream-email-address',
  method: 'GET',
  path: '/streams/{stream_id}/email_address',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Get the email address of a stream',
  description: 'Always empty, because the server receives no mail.',
  example: { parameters: { stream_id: exampleVariables.streamId } },
  access: { authentication: 'required' },
  parameters: [streamIdParameter],
  success: object({ email: text }),
});
