import { checkMayDeleteMessage, getVisibleMessage } from '@parley/access';
import { badRequest } from '@parley/api';
import type { Caller } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import type { EventLog } from '@parley/event-log';
import type { Pool } from '@parley/database';
import { deleteMessage, getEditedMessageFacts, getRealm, lockForChange } from '@parley/store';
import type { EditedMessageFacts, MessageFacts } from '@parley/store';

import { attachmentUpdates } from '../files/attachment-events.ts';
import { lockActor } from './lock-actor.ts';
import { getMessageHolders, messageEntry } from './message-entry.ts';

/** The `delete_message` event (reference facts, events 11.3; messages 13). Its sender is the author, no matter who deletes. */
function deletionEvent(message: MessageFacts, facts: EditedMessageFacts): ApiEvent {
  const { stream } = facts;
  return {
    type: 'delete_message',
    message_id: message.id,
    sender: facts.senderEmail,
    sender_id: message.senderId,
    ...(stream === undefined
      ? { message_type: 'private', recipient_id: facts.recipientId }
      : { message_type: 'stream', stream_id: stream.id, topic: message.topic }),
  };
}

/**
 * Deletes a message permanently, with an event for its holders.
 *
 * @throws ApiError the first refusal in the documented order (reference facts, messages 13)
 */
export async function deleteMessageFor(
  { pool, eventLog }: { readonly pool: Pool; readonly eventLog: EventLog },
  caller: Caller,
  messageId: number,
): Promise<void> {
  const nowSecs = Date.now() / 1000;
  const [seen, { settings }] = await Promise.all([
    getVisibleMessage(pool, caller.userId, messageId),
    getRealm(pool),
  ]);
  checkMayDeleteMessage(caller, seen, settings, nowSecs);
  await eventLog.transaction(async (client) => {
    const actor = await lockActor(client, caller.userId);
    if (!(await lockForChange(client, seen, 'delete'))) throw badRequest('Message already deleted');
    // The message may have changed before it was locked.
    const message = await getVisibleMessage(client, caller.userId, messageId);
    checkMayDeleteMessage(actor, message, (await getRealm(client)).settings, nowSecs);
    const facts = await getEditedMessageFacts(client, messageId);
    const holders = await getMessageHolders(client, messageId);
    const unlinked = await deleteMessage(client, messageId);
    const entry = messageEntry(holders, { event: deletionEvent(message, facts) });
    return {
      result: undefined,
      append: { entries: [...(await attachmentUpdates(client, unlinked)), entry] },
    };
  });
}
