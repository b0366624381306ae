/**
 * Entitlement to an entry: pure functions of the entry and of a user's view at its position, used by live delivery and replay alike.
 */
import type { Audience, ChangeEntry, EventPart, MessageSentEntry } from '@parley/event-log';
import { holdsMessage, isOpenTo, getsStreamEvents, maySeeStream } from '@parley/store';
import type { Viewer } from '@parley/store';

import type { UserView } from './user-view.ts';

export type MessageEntitlement =
  /** The user holds the message. */
  | 'holder'
  /** An outgoing-webhook or embedded bot among the recipients: it gets the event without flags, and holds nothing. */
  | 'reacting'
  /** The stream is public and the user may read it: the event goes only to queues that listen to public streams, without flags. */
  | 'public'
  | 'none';

/** @param position of the entry */
export function messageEntitlement(
  entry: MessageSentEntry,
  view: UserView,
  position: number,
): MessageEntitlement {
  const account = view.accountAt(position);
  if (account === undefined || !account.isActive) return 'none';
  const { stream, participantIds, lateReceiptIds, reactingBotIds } = entry;
  if (reactingBotIds.includes(view.userId)) return 'reacting';
  const sent = {
    position,
    streamId: stream?.id,
    participantIds,
    lateHolderIds: lateReceiptIds,
    reactingBotIds,
  };
  if (holdsMessage(sent, view)) return 'holder';
  const isOpen = stream !== undefined && isOpenTo(account, { inviteOnly: !stream.isPublic });
  return isOpen ? 'public' : 'none';
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

/** Lists from this length on are searched through a set, which lives as long as the list. */
const longList = 32;
const sets = new WeakMap<readonly number[], ReadonlySet<number>>();

/** @returns whether the user is in the list; a change of ten thousand people is checked for as many queues */
export function isAmong(userIds: readonly number[], userId: number): boolean {
  if (userIds.length < longList) return userIds.includes(userId);
  let set = sets.get(userIds);
  if (set === undefined) {
    set = new Set(userIds);
    sets.set(userIds, set);
  }
  return set.has(userId);
}

type OfStream = {
  readonly streamId: number;
  readonly inviteOnly: boolean;
  readonly asBefore?: true;
};

function isViewer(stream: OfStream, view: UserView, account: Viewer, position: number): boolean {
  const isMember = view.isMember(
    stream.streamId,
    stream.asBefore === true ? position - 1 : position,
  );
  return maySeeStream(account, stream, isMember);
}

const publicStream = { inviteOnly: false };
const privateStream = { inviteOnly: true };

/** Whether the user sees the stream only while it is public. */
function isOutsider(streamId: number, view: UserView, account: Viewer, position: number): boolean {
  const isMember = view.isMember(streamId, position);
  return (
    maySeeStream(account, publicStream, isMember) && !maySeeStream(account, privateStream, isMember)
  );
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
      return isViewer(audience, view, account, position);
    case 'stream-knowers':
      return getsStreamEvents(account, audience, view.wasMember(audience.streamId, position));
    case 'former-viewers':
      return (
        view.wasMember(audience.streamId, position) && !isViewer(audience, view, account, position)
      );
    case 'stream-outsiders':
      return (
        isOutsider(audience.streamId, view, account, position) &&
        view.wasMember(audience.streamId, position) === audience.wereMembers
      );
  }
}

function getsEventOfMessage(
  part: Extract<EventPart, { form: 'of-message' }>,
  view: UserView,
  position: number,
): boolean {
  const { message } = part;
  if (message.formerHolderIds !== undefined && isAmong(message.formerHolderIds, view.userId))
    return false;
  if (holdsMessage(message, view)) return true;
  return (
    part.alsoSubscribers &&
    message.streamId !== undefined &&
    !message.reactingBotIds.includes(view.userId) &&
    view.isMember(message.streamId, position)
  );
}

/** The recipients of a run of `peer_*`; see `EventPart`. Nobody gets the own change, which the reader of the run leaves out. */
function isPeer(
  part: Extract<EventPart, { form: 'peers' }>,
  view: UserView,
  position: number,
): boolean {
  const account = view.accountAt(position);
  if (account === undefined || !account.isActive) return false;
  if (part.to === 'stream-outsiders') return isOutsider(part.streamId, view, account, position);
  const isAmongThem = isAmong(part.userIds, view.userId);
  if (part.to === 'list-holders')
    return !(isAmongThem && part.op === 'peer_add') && isViewer(part, view, account, position);
  if (isAmongThem) return false;
  return part.inviteOnly ? isViewer(part, view, account, position) : isOpenTo(account, part);
}

/** @returns the indexes of the parts of a change that the user is entitled to */
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
