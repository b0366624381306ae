/**
 * Who may have what of an entry: pure functions of the entry and of a user's view at its position, the same for live delivery
 * and for replay.
 */
import type {
  Audience,
  ChangeEntry,
  EventPart,
  HeldMessage,
  MessageSentEntry,
} from '@parley/contracts';

import type { UserView } from './user-view.ts';

export type MessageEntitlement =
  /** The user holds the message. */
  | 'holder'
  /** An outgoing-webhook or embedded bot among the recipients: the event with no flags, and nothing held. */
  | 'reacting'
  /** The stream is public and the user may read it: only for queues that listen to public streams, with no flags. */
  | 'public'
  | 'none';

/** @param position the entry's */
export function messageEntitlement(
  entry: MessageSentEntry,
  view: UserView,
  position: number,
): MessageEntitlement {
  const { userId } = view;
  const account = view.accountAt(position);
  if (account === undefined || !account.isActive) return 'none';
  const isReacting = entry.reactingBotIds.includes(userId);
  if (entry.participantIds !== undefined) {
    if (!entry.participantIds.includes(userId)) return 'none';
    return isReacting ? 'reacting' : 'holder';
  }
  if (entry.stream === undefined) return 'none';
  if (isReacting) return 'reacting';
  if (entry.lateReceiptIds.includes(userId) || view.isMember(entry.stream.id, position))
    return 'holder';
  return entry.stream.isPublic && account.role !== 'guest' ? 'public' : 'none';
}

/** @returns the flags of a holder's own copy, in the interface's order (reference facts, events 11.1) */
export function messageFlags(entry: MessageSentEntry, userId: number): string[] {
  const flags: string[] = [];
  const isSendersOwn = entry.readBySender && entry.message.sender_id === userId;
  if (isSendersOwn || entry.readByIds?.includes(userId) === true) flags.push('read');
  if (entry.mentionedIds.includes(userId) || entry.groupMentionedIds.includes(userId))
    flags.push('mentioned');
  if (entry.mentionsWildcard) flags.push('wildcard_mentioned');
  if (entry.alertWordIds.includes(userId)) flags.push('has_alert_word');
  return flags;
}

/** From this length on a list is searched through a set of it, which lives as long as the list. */
const longList = 32;
const sets = new WeakMap<readonly number[], ReadonlySet<number>>();

/** @returns whether the user is in the list; a change of ten thousand people is asked about by as many queues */
export function isAmong(userIds: readonly number[], userId: number): boolean {
  if (userIds.length < longList) return userIds.includes(userId);
  let set = sets.get(userIds);
  if (set === undefined) {
    set = new Set(userIds);
    sets.set(userIds, set);
  }
  return set.has(userId);
}

function isInAudience(audience: Audience, view: UserView, position: number): boolean {
  const account = view.accountAt(position);
  if (account === undefined || !account.isActive) return false;
  switch (audience.to) {
    case 'everyone':
      return true;
    case 'members':
      return account.role !== 'guest';
    case 'administrators':
      return account.role === 'administrator';
    case 'plain-members':
      return account.role === 'member';
    case 'users':
      return isAmong(audience.userIds, view.userId);
    case 'stream-viewers':
      return (
        view.isMember(audience.streamId, audience.asBefore === true ? position - 1 : position) ||
        (audience.inviteOnly ? account.role === 'administrator' : account.role !== 'guest')
      );
  }
}

/** @returns whether the user holds a message that was sent before */
export function holdsMessage(message: HeldMessage, view: UserView): boolean {
  const { userId } = view;
  if (message.reactingBotIds.includes(userId)) return false;
  if (message.lateHolderIds.includes(userId)) return true;
  if (message.participantIds !== undefined) return message.participantIds.includes(userId);
  return message.streamId !== undefined && view.isMember(message.streamId, message.position);
}

function getsEventOfMessage(
  part: Extract<EventPart, { form: 'of-message' }>,
  view: UserView,
  position: number,
): boolean {
  const { message } = part;
  if (holdsMessage(message, view)) return true;
  return (
    part.alsoSubscribers &&
    message.streamId !== undefined &&
    !message.reactingBotIds.includes(view.userId) &&
    view.isMember(message.streamId, position)
  );
}

/** `peer_*` of a public stream reach all members of the organization but guests, of a private one its subscribers and administrators. */
function isPeer(
  part: Extract<EventPart, { form: 'peers' }>,
  view: UserView,
  position: number,
): boolean {
  const account = view.accountAt(position);
  if (account === undefined || !account.isActive || isAmong(part.userIds, view.userId))
    return false;
  if (!part.inviteOnly) return account.role !== 'guest';
  return account.role === 'administrator' || view.isMember(part.streamId, position);
}

/** @returns the indexes of the parts of a change that the user may have */
export function entitledParts(entry: ChangeEntry, view: UserView, position: number): number[] {
  if (view.accountAt(position)?.isActive !== true) return [];
  return entry.events.flatMap((part, index) => (isEntitledTo(part, view, position) ? [index] : []));
}

function isEntitledTo(part: EventPart, view: UserView, position: number): boolean {
  switch (part.form) {
    case 'same':
      return isInAudience(part.audience, view, position);
    case 'of-message':
      return getsEventOfMessage(part, view, position);
    case 'peers':
      return isPeer(part, view, position);
    case 'subscription-add':
      return part.userId === view.userId;
    case 'shared-subscription-add':
    case 'left-stream-read':
      return isAmong(part.userIds, view.userId);
  }
}
