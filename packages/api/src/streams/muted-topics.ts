import { declareEndpoint } from '../declare/endpoint.ts';
import { integerParameter, textParameter } from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';

/** PATCH users/me/subscriptions/muted_topics (contract, Streams; reference facts, streams 7). */
export const changeMutedTopicsEndpoint = declareEndpoint({
  name: 'change-muted-topics',
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Mute or unmute a topic',
  description:
    'The topic is given in any letter case and needs no messages, the stream by name or by id. Muting a muted topic, and unmuting one that is not muted, are errors without a code.',
  example: { parameters: { stream: 'boatyard', topic: 'tides', op: 'add' } },
  access: { authentication: 'required' },
  parameters: [
    integerParameter('stream_id', { description: 'The stream by id' }),
    textParameter('stream', { description: 'The stream by name' }),
    textParameter('topic', { required: true, description: 'The topic, at most 60 characters' }),
    textParameter('op', { required: true, description: '`add` mutes, `remove` unmutes' }),
  ],
  success: object({}),
});
