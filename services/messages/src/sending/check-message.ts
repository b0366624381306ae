/**
 * All refusals of a send for bad input or missing permission, in the order of the reference facts (messages 3.5, "Check order overall"):
 * the addressee's form, the content, the stream's existence, then permission.
 */
import { badRequest, foldName, limits, notAuthenticated, streamDoesNotExist } from '@parley/api';
import type { Recipients } from '@parley/api/messages';
import { checkMaySendToStream, checkParticipantCount } from '@parley/store/access';
import type { CheckedMessage } from '@parley/composing';
import type { SendPerson, StreamAddress } from '@parley/store';

import { checkContent, checkTopic } from './message-text.ts';
import type { SendReads } from './send-reads.ts';

/** A requested message. */
export type NewMessage = {
  readonly senderId: number;
  readonly type: string;
  readonly to: Recipients;
  readonly topic: string | undefined;
  readonly content: string;
  /** Whether its text tells of the stream's past, which only those may learn who may read all of it. */
  readonly tellsOfPast?: boolean;
};

/** What a send is checked by. */
export type SendChecks = SendReads & {
  /** The most people of a private message, its sender among them. */
  readonly participantsMax: number;
};

const productName = 'Parley';

function addressStream(to: Recipients): StreamAddress {
  const items: readonly (string | number)[] = to.kind === 'names' ? to.names : to.ids;
  const [first] = items;
  if (items.length > 1) throw badRequest('Cannot send to multiple streams');
  if (first === undefined) return { default: true };
  return typeof first === 'string' ? { name: first } : { streamId: first };
}

function checkStreamName(name: string): void {
  if (
    name.length > limits.streamNameMaxCodePoints &&
    Array.from(name).length > limits.streamNameMaxCodePoints
  ) {
    throw badRequest(`Stream name too long (limit: ${limits.streamNameMaxCodePoints} characters).`);
  }
  if (name.includes('\0'))
    throw badRequest(`Stream name '${name}' contains NULL (0x00) characters.`);
}

function noSuchStream(address: StreamAddress): Error {
  if ('name' in address) return streamDoesNotExist({ stream: address.name });
  if ('streamId' in address) return streamDoesNotExist({ streamId: address.streamId });
  return badRequest('Missing stream');
}

async function checkStreamMessage(
  { streamFacts }: SendChecks,
  message: NewMessage,
): Promise<CheckedMessage> {
  const { senderId } = message;
  const address = addressStream(message.to);
  // Only the account itself knows whether it has a default stream, and that decides what is reported missing first.
  if (
    'default' in address &&
    (await streamFacts.find({ senderId, address, topic: '' }))?.stream === undefined
  )
    throw badRequest('Missing stream');
  const topic = checkTopic(message.topic);
  const content = checkContent(message.content);
  if ('name' in address) checkStreamName(address.name);
  const facts = await streamFacts.find({ senderId, address, topic });
  if (facts?.sender.isActive !== true) throw notAuthenticated('Account is deactivated');
  const { sender, stream, realm } = facts;
  if (stream === undefined) throw noSuchStream(address);
  if (message.tellsOfPast === true && !stream.sharesHistory)
    throw badRequest('New members may not learn of the past of this stream');
  return {
    kind: 'stream',
    sender,
    realm,
    stream,
    topic,
    content,
    authorityId: checkMaySendToStream(sender, stream, address),
  };
}

function checkEveryRecipientFound(to: Recipients, found: readonly SendPerson[]): void {
  if (to.kind === 'ids') {
    const ids = new Set(found.map((person) => person.id));
    const missing = to.ids.find((id) => !ids.has(id));
    if (missing !== undefined) throw badRequest(`Invalid user ID ${missing}`);
    return;
  }
  const emails = new Set(found.map((person) => foldName(person.email)));
  const missing = to.names.find((email) => !emails.has(foldName(email)));
  if (missing !== undefined) throw badRequest(`Invalid email '${missing}'`);
}

/** No address is longer, not even one that the server makes of its own name. Long texts would delay the sends that are looked up with them. */
const emailMaxLength = 320;

const isNobodys = (email: string): boolean => email.includes('\0') || email.length > emailMaxLength;

async function checkPrivateMessage(
  { privateFacts, participantsMax }: SendChecks,
  message: NewMessage,
): Promise<CheckedMessage> {
  const { to } = message;
  const requested = (to.kind === 'names' ? to.names : to.ids).length;
  if (requested === 0) throw badRequest('Message must have recipients');
  checkParticipantCount(requested, participantsMax);
  const nobodys = to.kind === 'names' ? to.names.find(isNobodys) : undefined;
  if (nobodys !== undefined) throw badRequest(`Invalid email '${nobodys}'`);
  const facts = await privateFacts.find({
    senderId: message.senderId,
    addressees: to.kind === 'names' ? { emails: to.names } : { userIds: to.ids },
  });
  if (facts?.sender.isActive !== true) throw notAuthenticated('Account is deactivated');
  const { sender, recipients, conversation, realm } = facts;
  checkEveryRecipientFound(to, recipients);
  const content = checkContent(message.content);
  const gone = recipients.find((person) => !person.isActive);
  if (gone !== undefined) throw badRequest(`'${gone.email}' is no longer using ${productName}.`);
  const participants = [...recipients.filter((person) => person.id !== sender.id), sender].toSorted(
    (a, b) => a.id - b.id,
  );
  checkParticipantCount(participants.length, participantsMax);
  return { kind: 'private', sender, realm, participants, conversation, content };
}

/**
 * Checks a send.
 *
 * @throws ApiError the first refusal in the documented order
 */
export async function checkMessage(
  checks: SendChecks,
  message: NewMessage,
): Promise<CheckedMessage> {
  switch (message.type) {
    case 'stream':
    case 'channel':
      return checkStreamMessage(checks, message);
    case 'private':
    case 'direct':
      return checkPrivateMessage(checks, message);
    default:
      throw badRequest('Invalid message type');
  }
}
