import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, jsonOrTextParameter, pathInteger } from '../declare/parameters.ts';
import { object } from '../declare/schema.ts';
import { limits } from '../limits.ts';

const streamIdParameter = pathInteger('stream_id', { description: 'The stream' });

/** PATCH streams/{stream_id} (reference facts, streams 8.1). */
export const changeStreamEndpoint = declareEndpoint({
  name: 'change-stream',
  method: 'PATCH',
  path: '/streams/{stream_id}',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Change a stream',
  description:
    'For administrators, and for any stream; only subscribers may change the privacy of a private one. All changes are made, or none. A notice in the stream announces a new name.',
  example: {
    parameters: {
      stream_id: exampleVariables.spareStreamId,
      new_name: 'regatta 2027',
      description: 'Who rows, and when',
    },
  },
  access: { authentication: 'required', administratorsOnly: true },
  parameters: [
    streamIdParameter,
    jsonOrTextParameter('description', {
      description: 'A new description, as JSON or plain text',
      schema: { type: 'string', maxLength: limits.streamDescriptionMaxCodePoints },
    }),
    booleanParameter('is_private', { description: 'Whether only invited people may access it' }),
    booleanParameter('is_announcement_only', {
      description: 'Whether only administrators may post',
    }),
    booleanParameter('history_public_to_subscribers', {
      description: 'With is_private: whether new subscribers see earlier messages',
    }),
    jsonOrTextParameter('new_name', {
      nul: 'handled',
      description: 'A new name, as JSON or plain text',
    }),
  ],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});

/** DELETE streams/{stream_id} (reference facts, streams 8.2). */
export const deleteStreamEndpoint = declareEndpoint({
  name: 'delete-stream',
  method: 'DELETE',
  path: '/streams/{stream_id}',
  service: 'subscriptions',
  tag: 'Streams and subscriptions',
  summary: 'Deactivate a stream',
  description: 'For administrators. Its messages are kept, and its name is free again.',
  example: { parameters: { stream_id: exampleVariables.spareStreamId } },
  access: { authentication: 'required', administratorsOnly: true },
  parameters: [streamIdParameter],
  success: object({}),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
});
