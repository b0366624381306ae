import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import {
  integerParameter,
  jsonOrTextParameter,
  pathInteger,
  textListParameter,
  textParameter,
} from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';
import { limits } from '../limits.ts';

/** Streams that new people join, and groups of streams that they may join. */

const access = { authentication: 'required', administratorsOnly: true } as const;

const streamParameters = [
  textParameter('stream_name', { description: 'The stream by name, in any letter case' }),
  integerParameter('stream_id', { description: 'The stream by id, for newer clients' }),
] as const;

/** POST default_streams (reference facts, streams 8.4). */
export const addDefaultStreamEndpoint = declareEndpoint({
  name: 'add-default-stream',
  method: 'POST',
  path: '/default_streams',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Make a stream a default stream, which new people join',
  example: { parameters: { stream_name: 'kitchen' } },
  access,
  parameters: streamParameters,
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING'],
  afterLoss: 'repeat',
});

/** DELETE default_streams (reference facts, streams 8.4). */
export const removeDefaultStreamEndpoint = declareEndpoint({
  name: 'remove-default-stream',
  method: 'DELETE',
  path: '/default_streams',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Make a stream no longer a default stream',
  example: { parameters: { stream_name: 'kitchen' } },
  access,
  parameters: streamParameters,
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING'],
  afterLoss: 'repeat',
});

const groupIdParameter = pathInteger('group_id', { description: 'The group' });

/** POST default_stream_groups/create (reference facts, streams 8.5). */
export const createDefaultStreamGroupEndpoint = declareEndpoint({
  name: 'create-default-stream-group',
  method: 'POST',
  path: '/default_stream_groups/create',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
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
    textParameter('group_name', {
      required: true,
      nul: 'handled',
      description: 'At most 60 characters',
    }),
    textParameter('description', {
      required: true,
      maxCodePoints: limits.streamDescriptionMaxCodePoints,
      description: 'What the group is for, at most 1024 characters; may be empty',
    }),
    textListParameter('stream_names', {
      required: true,
      description: 'Its streams, none of them a default stream',
    }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** PATCH default_stream_groups/{group_id} (reference facts, streams 8.5). */
export const changeDefaultStreamGroupEndpoint = declareEndpoint({
  name: 'change-default-stream-group',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Change the name or description of a group of streams',
  example: {
    parameters: {
      group_id: exampleVariables.defaultStreamGroupId,
      new_description: 'For people at the counter',
    },
  },
  access,
  parameters: [
    groupIdParameter,
    jsonOrTextParameter('new_group_name', { nul: 'handled', description: 'A new name' }),
    jsonOrTextParameter('new_description', {
      description: 'A new description, at most 1024 characters',
    }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** PATCH default_stream_groups/{group_id}/streams (reference facts, streams 8.5). */
export const changeDefaultStreamGroupStreamsEndpoint = declareEndpoint({
  name: 'change-default-stream-group-streams',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}/streams',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
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
    textParameter('op', { required: true, description: '`add` or `remove`' }),
    textListParameter('stream_names', { required: true, description: 'The streams' }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** DELETE default_stream_groups/{group_id} (reference facts, streams 8.5). */
export const deleteDefaultStreamGroupEndpoint = declareEndpoint({
  name: 'delete-default-stream-group',
  method: 'DELETE',
  path: '/default_stream_groups/{group_id}',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Delete a group of streams; the streams stay',
  example: { parameters: { group_id: exampleVariables.defaultStreamGroupId } },
  access,
  parameters: [groupIdParameter],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});
