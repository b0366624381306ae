import { editMessageEndpoint } from '@parley/api/messages';
import { implement } from '@parley/server';

import type { PropagateMode } from '../changing/check-edit.ts';
import { editMessageFor } from '../changing/edit-message.ts';
import type { MessagesContext } from '../context.ts';

const wideModes: readonly PropagateMode[] = ['change_later', 'change_all'];

/** Every other text means only this message (reference facts, messages 12). */
function propagateModeOf(given: string): PropagateMode {
  return wideModes.find((mode) => mode === given) ?? 'change_one';
}

/** PATCH messages/<id> (reference facts, messages 12). */
export const editMessageHandler = implement(
  editMessageEndpoint,
  async (context: MessagesContext, { caller, parameters }) => {
    await editMessageFor(context, caller, {
      messageId: parameters.message_id,
      content: parameters.content,
      topic: parameters.topic,
      propagateMode: propagateModeOf(parameters.propagate_mode),
      notified: [
        ...(parameters.send_notification_to_old_thread ? (['old'] as const) : []),
        ...(parameters.send_notification_to_new_thread ? (['new'] as const) : []),
      ],
    });
    return {};
  },
);
