import { checkMayDeleteMessage, getVisibleMessage } from '@parley/store/access';
import { badRequest } from '@parley/api';
import type { Caller } from '@parley/api';
import { changeEntry } from '@parley/event-log';
import {
  deleteMessage,
  getEditedMessageFacts,
  getRealm,
  listKeptTopics,
  lockForChange,
} from '@parley/store';
import type { EditedMessageFacts, MessageFacts } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { attachmentUpdates } from '../files/attachment-events.ts';
import { lockActor } from './lock-actor.ts';
import { deletionParts, getMessageHolders, messageAudience } from './message-entry.ts';
import type { DeletionEvent } from './message-entry.ts';

/** The `delete_message` event (reference facts, events 11.3; messages 13). Its sender is the author, no matter who deletes. */
function deletionEvent(message: MessageFacts, facts: EditedMessageFacts): DeletionEvent {
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
  { clock, pool, eventLog }: Pick<MessagesContext, 'clock' | 'eventLog' | 'pool'>,
  caller: Caller,
  messageId: number,
): Promise<void> {
  const nowSecs = clock.nowMs() / 1000;
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
    const kept = (await listKeptTopics(client, [messageId])).get(messageId) ?? [];
    const unlinked = await deleteMessage(client, messageId);
    const { conversationId: _conversationId, ...held } = holders;
    const entry = {
      audience: messageAudience(holders),
      entry: changeEntry({ events: deletionParts(held, kept, deletionEvent(message, facts)) }),
    };
    return {
      result: undefined,
      append: { entries: [...(await attachmentUpdates(client, unlinked)), entry] },
    };
  });
}
