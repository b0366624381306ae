import { badRequest, limits } from '@parley/contracts';
import { defineEndpoint, jsonInteger, text } from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { changeMutedTopic } from '../muting/change-muted-topic.ts';
import type { StreamReference } from '../streams/stream-reference.ts';

function checkOneStream(streamId: number | undefined, name: string | undefined): StreamReference {
  if (streamId !== undefined && name !== undefined) {
    throw badRequest("Please choose one: 'stream' or 'stream_id'.");
  }
  if (streamId !== undefined) return { streamId };
  if (name !== undefined) return { name };
  throw badRequest("Please supply 'stream'.");
}

function checkOperation(operation: string): 'add' | 'remove' {
  if (operation === 'add' || operation === 'remove') return operation;
  throw badRequest('Invalid value for "op". Specify one of "add" or "remove".');
}

/** PATCH users/me/subscriptions/muted_topics (contract, Streams; reference facts, streams 7). */
export const changeMutedTopicsEndpoint = defineEndpoint({
  name: 'change-muted-topics',
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  summary: 'Mute or unmute a topic',
  description:
    'The topic in any letter case; it need not have messages. The stream by name or by id. Muting twice, and unmuting what is not muted, are errors without a code.',
  example: { parameters: { stream: 'boatyard', topic: 'tides', op: 'add' } },
  access: { authentication: 'required' },
  parameters: [
    jsonInteger('stream_id', { description: 'The stream by id' }),
    text('stream', { description: 'The stream by name' }),
    text('topic', { required: true, description: 'The topic, at most 60 characters' }),
    text('op', { required: true, description: '`add` mutes, `remove` unmutes' }),
  ],
  response: { type: 'object', properties: {} },
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    const { topic } = parameters;
    const stream = checkOneStream(parameters.stream_id, parameters.stream);
    const operation = checkOperation(parameters.op);
    if (operation === 'add' && Array.from(topic).length > limits.topicMaxCodePoints) {
      throw badRequest(`topic is too long (limit: ${limits.topicMaxCodePoints} characters)`);
    }
    await changeMutedTopic(context, caller, operation, { stream, topic });
    return {};
  },
});
