import { badRequest, checkLength, limits } from '@parley/api';
import { changeMutedTopicsEndpoint } from '@parley/api/streams';
import { implement } from '@parley/server';

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

export const changeMutedTopicsHandler = implement(
  changeMutedTopicsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    const { topic } = parameters;
    const stream = checkOneStream(parameters.stream_id, parameters.stream);
    const operation = checkOperation(parameters.op);
    if (operation === 'add') checkLength('topic', topic, limits.topicMaxCodePoints);
    await changeMutedTopic(context, caller, operation, { stream, topic });
    return {};
  },
);
