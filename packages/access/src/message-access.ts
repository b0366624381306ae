import { badRequest } from '@parley/contracts';
import type { Queryable } from '@parley/database';
import { findVisibleMessage } from '@parley/store';
import type { MessageFacts, SendSender, StreamSendFacts } from '@parley/store';

/**
 * Who may send where, and who may see a message (reference facts, messages 3.5 and 7). What may not be seen looks exactly like what
 * does not exist.
 */

type StreamOfSend = NonNullable<StreamSendFacts['stream']>;

/**
 * Decides whether an account may send to a stream.
 *
 * @returns the user whose subscription permits it, where one is needed: it has to hold at the message's place in the log too
 * @throws ApiError naming the policy, or that the sender is not authorized
 */
export function checkMaySendToStream(sender: SendSender, stream: StreamOfSend): number | undefined {
  if (
    stream.isAnnouncementOnly &&
    !sender.isSystem &&
    sender.role !== 'administrator' &&
    sender.botOwnerRole !== 'administrator'
  ) {
    throw badRequest('Only organization administrators can send to this stream.');
  }
  if (sender.isSystem || (!stream.inviteOnly && sender.role !== 'guest')) return undefined;
  if (stream.senderSubscribed) return sender.id;
  if (stream.ownerSubscribed && sender.botOwnerId !== null) return sender.botOwnerId;
  throw badRequest(`Not authorized to send to stream '${stream.name}'`);
}

/**
 * Finds a message that the user may see: one that he holds, or of a stream whose whole history he may read.
 *
 * @throws ApiError `Invalid message(s)` when there is none, or he may not see it
 */
export async function getVisibleMessage(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<MessageFacts> {
  const message = await findVisibleMessage(db, userId, messageId);
  if (message === undefined) throw badRequest('Invalid message(s)');
  return message;
}
