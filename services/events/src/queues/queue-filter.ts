import type { MessageSentEntry } from '@parley/event-log';
import { foldName } from '@parley/api';

import type { NarrowTerm, QueueDescriptor } from './queue-descriptor.ts';

/** @returns whether the queue takes events of the type at all; heartbeats always pass (reference facts, events 9.1) */
export function takesType(descriptor: QueueDescriptor, type: string): boolean {
  return descriptor.eventTypes === null || descriptor.eventTypes.includes(type);
}

/** @returns whether the queue also gets messages of public streams that its user does not hold (reference facts, events 9.3) */
export function listensToPublicStreams(descriptor: QueueDescriptor): boolean {
  return descriptor.allPublicStreams || descriptor.narrow.length > 0;
}

function passesTerm(
  [operator, operand]: NarrowTerm,
  entry: MessageSentEntry,
  flags: readonly string[],
): boolean {
  const { message } = entry;
  switch (operator) {
    case 'stream':
      return (
        typeof message.display_recipient === 'string' &&
        foldName(message.display_recipient) === foldName(operand)
      );
    case 'topic':
      return message.type === 'stream' && foldName(message.subject) === foldName(operand);
    case 'sender':
      return foldName(message.sender_email) === foldName(operand);
    default:
      break;
  }
  switch (operand) {
    case 'private':
      return message.type === 'private';
    case 'starred':
      return flags.includes('starred');
    case 'unread':
      return !flags.includes('read');
    case 'mentioned':
    case 'alerted':
      return flags.includes('mentioned');
    default:
      return true;
  }
}

/** @returns whether a message event passes the queue's narrow: all its terms (reference facts, events 9.2) */
export function passesNarrow(
  descriptor: QueueDescriptor,
  entry: MessageSentEntry,
  flags: readonly string[],
): boolean {
  return descriptor.narrow.every((term) => passesTerm(term, entry, flags));
}

/** @returns whether a mirror would get back what a client of its own name brought in (reference facts, events 9.4) */
export function isSentByOwnMirror(descriptor: QueueDescriptor, entry: MessageSentEntry): boolean {
  return entry.message.client.toLowerCase() === descriptor.mirrorClient?.toLowerCase();
}
