import { badRequest, streamDoesNotExist } from '@parley/api';
import type { Client, Queryable } from '@parley/database';
import { findSeenMessage, findVisibleMessage, isOpenTo, lockSeenMessage } from '../index.ts';
import type {
  MessageFacts,
  SeenMessage,
  SendSender,
  StreamAddress,
  StreamSendFacts,
} from '../index.ts';

/**
 * Who may send where, and who may see a message (reference facts, messages 3.5 and 7). A message that the user may not see looks exactly
 * like one that does not exist.
 */

type StreamOfSend = NonNullable<StreamSendFacts['stream']>;

/** A stream that is closed to a sender looks like one that does not exist. Administrators know of every stream. */
function closedStream(sender: SendSender, stream: StreamOfSend, address: StreamAddress): Error {
  if (sender.role === 'administrator')
    return badRequest(`Not authorized to send to stream '${stream.name}'`);
  if ('name' in address) return streamDoesNotExist({ stream: address.name });
  if ('streamId' in address) return streamDoesNotExist({ streamId: address.streamId });
  return badRequest('Missing stream');
}

/**
 * Decides whether an account may send to a stream.
 *
 * @param address how the sender named the stream
 * @returns the user whose subscription permits the send, if it needs one; the subscription must still exist at the message's position in
 *   the log
 * @throws ApiError saying that a stream closed to the sender does not exist (to an administrator, that the sender is not authorized), or
 *   naming the policy
 */
export function checkMaySendToStream(
  sender: SendSender,
  stream: StreamOfSend,
  address: StreamAddress,
): number | undefined {
  const isOpen = sender.isSystem || isOpenTo(sender, stream);
  const ownerId = stream.ownerSubscribed ? (sender.botOwnerId ?? undefined) : undefined;
  const authorityId = stream.senderSubscribed ? sender.id : ownerId;
  // Checked before the policy, which only people who know of the stream may learn.
  if (!isOpen && authorityId === undefined) throw closedStream(sender, stream, address);
  if (
    stream.isAnnouncementOnly &&
    !sender.isSystem &&
    sender.role !== 'administrator' &&
    sender.botOwnerRole !== 'administrator'
  ) {
    throw badRequest('Only organization administrators can send to this stream.');
  }
  return isOpen ? undefined : authorityId;
}

/**
 * Bounds the people of a private conversation: each of them gets events that name all of them, and so does each of its messages in a page.
 *
 * @throws ApiError `Too many recipients`
 */
export function checkParticipantCount(count: number, participantsMax: number): void {
  if (count > participantsMax) throw badRequest('Too many recipients');
}

/**
 * Finds a message that the user may see: a message that the user holds, or one of a stream whose whole history the user may read.
 *
 * @throws ApiError `Invalid message(s)` if there is none, or the user may not see it
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

/**
 * Refuses changes of messages in private streams by those who are no members any more.
 *
 * @throws ApiError `Invalid message(s)`
 */
export function checkMayChange({ mayChange }: { readonly mayChange: boolean }): void {
  if (!mayChange) throw badRequest('Invalid message(s)');
}

/**
 * Finds a message that the user may see, without its content.
 *
 * @param purpose `change` if the user is to change it, or what is shown with it
 * @throws ApiError `Invalid message(s)` if there is none, or the user may not see it, or not change it
 */
export async function getSeenMessage(
  db: Queryable,
  userId: number,
  messageId: number,
  purpose: 'hold' | 'change',
): Promise<SeenMessage> {
  const seen = await findSeenMessage(db, userId, messageId);
  if (seen === undefined) throw badRequest('Invalid message(s)');
  if (purpose === 'change') checkMayChange(seen);
  return seen;
}

/**
 * Locks a message that `getSeenMessage` found, and checks it again. `lockSeenMessage` of the store documents what the lock excludes.
 *
 * @throws ApiError `Invalid message(s)` when it is gone, or the user may not see it any more, or not change it
 */
export async function getLockedMessage(
  client: Client,
  userId: number,
  seen: SeenMessage,
  purpose: 'hold' | 'change',
): Promise<SeenMessage> {
  const locked = await lockSeenMessage(client, userId, seen, purpose);
  if (locked === undefined) throw badRequest('Invalid message(s)');
  if (purpose === 'change') checkMayChange(locked);
  return locked;
}
