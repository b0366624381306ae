import { requestVariableMissing } from '@parley/api';
import {
  addDefaultStreamEndpoint,
  changeDefaultStreamGroupEndpoint,
  changeDefaultStreamGroupStreamsEndpoint,
  createDefaultStreamGroupEndpoint,
  deleteDefaultStreamGroupEndpoint,
  removeDefaultStreamEndpoint,
} from '@parley/api/streams';
import { implement } from '@parley/server';

import type { SubscriptionsContext } from '../context.ts';
import {
  addDefaultStream,
  removeDefaultStream,
} from '../default-streams/change-default-streams.ts';
import {
  changeGroup,
  changeGroupStreams,
  createGroup,
  deleteGroup,
} from '../default-streams/change-groups.ts';
import type { StreamReference } from '../streams/stream-reference.ts';

function namedStream(parameters: {
  readonly stream_name: string | undefined;
  readonly stream_id: number | undefined;
}): StreamReference {
  if (parameters.stream_name !== undefined) return { name: parameters.stream_name };
  if (parameters.stream_id !== undefined) return { streamId: parameters.stream_id };
  throw requestVariableMissing('stream_name');
}

export const addDefaultStreamHandler = implement(
  addDefaultStreamEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await addDefaultStream(context, caller, namedStream(parameters));
    return {};
  },
);

export const removeDefaultStreamHandler = implement(
  removeDefaultStreamEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await removeDefaultStream(context, caller, namedStream(parameters));
    return {};
  },
);

export const createDefaultStreamGroupHandler = implement(
  createDefaultStreamGroupEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await createGroup(context, caller, {
      name: parameters.group_name,
      description: parameters.description,
      streamNames: parameters.stream_names,
    });
    return {};
  },
);

export const changeDefaultStreamGroupHandler = implement(
  changeDefaultStreamGroupEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeGroup(context, caller, parameters.group_id, {
      name: parameters.new_group_name,
      description: parameters.new_description,
    });
    return {};
  },
);

export const changeDefaultStreamGroupStreamsHandler = implement(
  changeDefaultStreamGroupStreamsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    const { group_id, op, stream_names } = parameters;
    await changeGroupStreams(context, caller, group_id, op, stream_names);
    return {};
  },
);

export const deleteDefaultStreamGroupHandler = implement(
  deleteDefaultStreamGroupEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await deleteGroup(context, caller, parameters.group_id);
    return {};
  },
);
