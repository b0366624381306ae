import { requestVariableMissing } from '@parley/contracts';
import {
  defineEndpoint,
  exampleVariables,
  jsonInteger,
  jsonOrText,
  jsonStringList,
  pathInteger,
  text,
} from '@parley/http';

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

const access = { authentication: 'required', administratorsOnly: true } as const;
const response = { type: 'object', properties: {} } as const;

const streamParameters = [
  text('stream_name', { description: 'The stream by name, in any letter case' }),
  jsonInteger('stream_id', { description: 'The stream by id, as newer clients name it' }),
] as const;

function namedStream(parameters: {
  readonly stream_name: string | undefined;
  readonly stream_id: number | undefined;
}): StreamReference {
  if (parameters.stream_name !== undefined) return { name: parameters.stream_name };
  if (parameters.stream_id !== undefined) return { streamId: parameters.stream_id };
  throw requestVariableMissing('stream_name');
}

/** POST default_streams (reference facts, streams 8.4). */
export const addDefaultStreamEndpoint = defineEndpoint({
  name: 'add-default-stream',
  method: 'POST',
  path: '/default_streams',
  summary: 'Make a stream one that new people join',
  example: { parameters: { stream_name: 'kitchen' } },
  access,
  parameters: streamParameters,
  response,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await addDefaultStream(context, caller, namedStream(parameters));
    return {};
  },
});

/** DELETE default_streams (reference facts, streams 8.4). */
export const removeDefaultStreamEndpoint = defineEndpoint({
  name: 'remove-default-stream',
  method: 'DELETE',
  path: '/default_streams',
  summary: 'Make a stream none that new people join',
  example: { parameters: { stream_name: 'kitchen' } },
  access,
  parameters: streamParameters,
  response,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await removeDefaultStream(context, caller, namedStream(parameters));
    return {};
  },
});

const groupIdParameter = pathInteger('group_id', { description: 'The group' });

/** POST default_stream_groups/create (reference facts, streams 8.5). */
export const createDefaultStreamGroupEndpoint = defineEndpoint({
  name: 'create-default-stream-group',
  method: 'POST',
  path: '/default_stream_groups/create',
  summary: 'Create a group of streams that people may join at their first visit',
  example: {
    parameters: {
      group_name: 'workshop',
      description: 'For everybody who builds boats',
      stream_names: ['boatyard'],
    },
  },
  access,
  parameters: [
    text('group_name', { required: true, nul: 'handled', description: 'At most 60 characters' }),
    text('description', { required: true, description: 'What the group is for; may be empty' }),
    jsonStringList('stream_names', {
      required: true,
      description: 'Its streams, none of them a default stream',
    }),
  ],
  response,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await createGroup(context, caller, {
      name: parameters.group_name,
      description: parameters.description,
      streamNames: parameters.stream_names,
    });
    return {};
  },
});

/** PATCH default_stream_groups/{group_id} (reference facts, streams 8.5). */
export const changeDefaultStreamGroupEndpoint = defineEndpoint({
  name: 'change-default-stream-group',
  method: 'PATCH',
  path: '/default_stream_groups/:group_id',
  summary: 'Rename or describe a group of streams',
  example: {
    parameters: {
      group_id: exampleVariables.defaultStreamGroupId,
      new_description: 'For people at the counter',
    },
  },
  access,
  parameters: [
    groupIdParameter,
    jsonOrText('new_group_name', { nul: 'handled', description: 'A new name' }),
    jsonOrText('new_description', { description: 'A new description' }),
  ],
  response,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeGroup(context, caller, parameters.group_id, {
      name: parameters.new_group_name,
      description: parameters.new_description,
    });
    return {};
  },
});

/** PATCH default_stream_groups/{group_id}/streams (reference facts, streams 8.5). */
export const changeDefaultStreamGroupStreamsEndpoint = defineEndpoint({
  name: 'change-default-stream-group-streams',
  method: 'PATCH',
  path: '/default_stream_groups/:group_id/streams',
  summary: 'Add streams to a group, or remove them',
  description: 'All or nothing.',
  example: {
    parameters: {
      group_id: exampleVariables.defaultStreamGroupId,
      op: 'add',
      stream_names: ['rentals'],
    },
  },
  access,
  parameters: [
    groupIdParameter,
    text('op', { required: true, description: '`add` or `remove`' }),
    jsonStringList('stream_names', { required: true, description: 'The streams' }),
  ],
  response,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    const { group_id, op, stream_names } = parameters;
    await changeGroupStreams(context, caller, group_id, op, stream_names);
    return {};
  },
});

/** DELETE default_stream_groups/{group_id} (reference facts, streams 8.5). */
export const deleteDefaultStreamGroupEndpoint = defineEndpoint({
  name: 'delete-default-stream-group',
  method: 'DELETE',
  path: '/default_stream_groups/:group_id',
  summary: 'Delete a group of streams; the streams stay',
  example: { parameters: { group_id: exampleVariables.defaultStreamGroupId } },
  access,
  parameters: [groupIdParameter],
  response,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await deleteGroup(context, caller, parameters.group_id);
    return {};
  },
});
