import { defineEndpoint, exampleVariables, pathInteger, text } from '@parley/http';

import type { PropagateMode } from '../changing/check-edit.ts';
import { editMessageFor } from '../changing/edit-message.ts';
import type { MessagesContext } from '../context.ts';

const wideModes: readonly PropagateMode[] = ['change_later', 'change_all'];

/** Every other text means this message alone (reference facts, messages 12). */
function propagateModeOf(given: string): PropagateMode {
  return wideModes.find((mode) => mode === given) ?? 'change_one';
}

/** PATCH messages/<id> (reference facts, messages 12). */
export const editMessageEndpoint = defineEndpoint({
  name: 'edit-message',
  method: 'PATCH',
  path: '/messages/:message_id',
  summary: 'Edit the text or topic of a message',
  description:
    'Its sender may edit both. The topic of others’ messages may be edited by administrators, where the organization allows it by everybody for a day, and always where it is `(no topic)`. A topic for a private message is ignored.',
  example: {
    parameters: {
      message_id: exampleVariables.messageId,
      topic: 'Heron: new oars',
      content: 'The *Egret* needs new oars, not the *Heron*',
    },
  },
  access: { authentication: 'required' },
  parameters: [
    pathInteger('message_id', { description: 'The message' }),
    text('content', {
      nul: 'handled',
      description: 'The new text; `(deleted)` is stored for an empty one',
    }),
    text('topic', { aliases: ['subject'], description: 'The new topic; cut at 60 characters' }),
    text('propagate_mode', {
      default: 'change_one',
      description:
        'Which messages of exactly the same topic get the new one too: `change_one`; `change_later`, all with a larger id; `change_all`, all others of the last seven days. At most 50,000 messages move at once, of 16 MiB of HTML',
    }),
  ],
  response: { type: 'object', properties: {} },
  errors: ['REQUEST_CONFUSING_VAR'],
  handler: async (context: MessagesContext, { caller, parameters }) => {
    await editMessageFor(context, caller, {
      messageId: parameters.message_id,
      content: parameters.content,
      topic: parameters.topic,
      propagateMode: propagateModeOf(parameters.propagate_mode),
    });
    return {};
  },
});
