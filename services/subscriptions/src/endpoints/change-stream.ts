import { limits } from '@parley/contracts';
import {
  defineEndpoint,
  exampleVariables,
  jsonBoolean,
  jsonOrText,
  pathInteger,
} from '@parley/http';

import type { SubscriptionsContext } from '../context.ts';
import { changeStream } from '../streams/change-stream.ts';
import { deleteStream } from '../streams/delete-stream.ts';

const streamIdParameter = pathInteger('stream_id', { description: 'The stream' });

/** PATCH streams/{stream_id} (reference facts, streams 8.1). */
export const changeStreamEndpoint = defineEndpoint({
  name: 'change-stream',
  method: 'PATCH',
  path: '/streams/:stream_id',
  summary: 'Change a stream',
  description:
    'For administrators, of any stream; privacy of a private one only if they are subscribed. All or nothing. A new name is told in the stream.',
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
    jsonOrText('description', {
      description: 'A new description, as JSON or as it is',
      schema: { type: 'string', maxLength: limits.streamDescriptionMaxCodePoints },
    }),
    jsonBoolean('is_private', { description: 'Whether only invited people may access it' }),
    jsonBoolean('is_announcement_only', { description: 'Whether only administrators may post' }),
    jsonBoolean('history_public_to_subscribers', {
      description: 'With is_private: whether new subscribers see what was before them',
    }),
    jsonOrText('new_name', { nul: 'handled', description: 'A new name, as JSON or as it is' }),
  ],
  response: { type: 'object', properties: {} },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeStream(context, caller, parameters.stream_id, {
      description: parameters.description,
      newName: parameters.new_name,
      isAnnouncementOnly: parameters.is_announcement_only,
      isPrivate: parameters.is_private,
      historyPublicToSubscribers: parameters.history_public_to_subscribers,
    });
    return {};
  },
});

/** DELETE streams/{stream_id} (reference facts, streams 8.2). */
export const deleteStreamEndpoint = defineEndpoint({
  name: 'delete-stream',
  method: 'DELETE',
  path: '/streams/:stream_id',
  summary: 'Deactivate a stream',
  description: 'For administrators. Its messages are kept, and its name is free again.',
  example: { parameters: { stream_id: exampleVariables.spareStreamId } },
  access: { authentication: 'required', administratorsOnly: true },
  parameters: [streamIdParameter],
  response: { type: 'object', properties: {} },
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: SubscriptionsContext, { caller, parameters }) => {
    await deleteStream(context, caller, parameters.stream_id);
    return {};
  },
});
