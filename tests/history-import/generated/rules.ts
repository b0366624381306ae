/** What a generated organization lets everybody read, as its source knows it. */
import { at, isMember, wasMember } from './organization.ts';
import type { ModelMessage, ModelOrganization } from './organization.ts';

export type SourceName = 'zulip' | 'slack' | 'mattermost';

export function isSamePlace({ to: one }: ModelMessage, { to: other }: ModelMessage): boolean {
  if ('stream' in one) return 'stream' in other && one.stream === other.stream;
  return 'participants' in other && one.participants.join() === other.participants.join();
}

export function mentions({ parts }: ModelMessage, person: number): boolean {
  return parts.some((part) => part.kind === 'person' && part.person === person);
}

/** Whether a text may link a stream: its name must not be told to others than those who know it. */
export function mayLink(
  { streams }: ModelOrganization,
  { to }: ModelMessage,
  stream: number,
): boolean {
  return at(streams, stream).kind === 'public' || ('stream' in to && to.stream === stream);
}

/** What the reference server knows of somebody and a message. */
export type Receipt = {
  readonly isRead: boolean;
  readonly isStarred: boolean;
  readonly isMentioned: boolean;
  /** The person was no member when it was sent. */
  readonly isLate: boolean;
  /** The person is away, and gets it on the return. */
  readonly isOwed: boolean;
};

/** Whether somebody has read the place of a message up to an earlier one only. */
function isBeyondPosition(
  { messages, positions }: ModelOrganization,
  person: number,
  message: number,
): boolean {
  return positions.some(
    (position) =>
      position.person === person &&
      position.message < message &&
      isSamePlace(at(messages, position.message), at(messages, message)),
  );
}

/** Whether a live stream is open to somebody as a whole. */
function isOpen({ streams, people }: ModelOrganization, person: number, stream: number): boolean {
  const found = at(streams, stream);
  if (found.isArchived) return false;
  if (found.kind === 'public')
    return at(people, person).role !== 'guest' || isMember(found, person);
  return found.kind === 'shared' && isMember(found, person);
}

/** @returns undefined for somebody who did not get the message */
export function receiptOf(
  organization: ModelOrganization,
  person: number,
  message: number,
): Receipt | undefined {
  const { messages, streams, people, unread } = organization;
  const found = at(messages, message);
  const { to, sender } = found;
  const isStarred = found.starredBy.includes(person);
  const gotIt =
    'stream' in to
      ? wasMember(at(streams, to.stream), person, message)
      : to.participants.includes(person);
  if (!gotIt) {
    if (!isStarred || !('stream' in to) || !isOpen(organization, person, to.stream))
      return undefined;
    return { isRead: true, isStarred, isMentioned: false, isLate: true, isOwed: false };
  }
  const isMentioned = mentions(found, person);
  const { idleAfter } = at(people, person);
  const isAway = 'stream' in to && idleAfter !== undefined && message > idleAfter;
  const isOwed = isAway && !isStarred && !isMentioned;
  const isUnread =
    isOwed ||
    (person !== sender &&
      (isBeyondPosition(organization, person, message) ||
        unread.some((pair) => pair.person === person && pair.message === message)));
  return { isRead: !isUnread, isStarred, isMentioned, isLate: false, isOwed };
}

/** Whether somebody is in a stream at the time of the export; Mattermost does not list its bots. */
export function isListed(
  source: SourceName,
  { streams, people }: ModelOrganization,
  person: number,
  stream: number,
): boolean {
  const isKnown = source !== 'mattermost' || !at(people, person).isBot;
  return isKnown && isMember(at(streams, stream), person);
}

/** Whether a message is among somebody's own, not only open to read. */
export function holds(
  source: SourceName,
  organization: ModelOrganization,
  person: number,
  message: number,
): boolean {
  const { to } = at(organization.messages, message);
  if ('participants' in to) return to.participants.includes(person);
  if (source === 'zulip') return receiptOf(organization, person, message) !== undefined;
  return isListed(source, organization, person, to.stream);
}

/** Whether somebody who is active may read a message. */
export function mayRead(
  source: SourceName,
  organization: ModelOrganization,
  person: number,
  message: number,
): boolean {
  const { to } = at(organization.messages, message);
  if (holds(source, organization, person, message)) return true;
  if ('participants' in to) return false;
  if (source === 'zulip') return isOpen(organization, person, to.stream);
  const { kind, isArchived } = at(organization.streams, to.stream);
  return kind === 'public' && !isArchived && at(organization.people, person).role !== 'guest';
}

/** The flags that the source carries of a message that somebody holds. */
export function flagsOf(
  source: SourceName,
  organization: ModelOrganization,
  person: number,
  message: number,
): string[] {
  const found = at(organization.messages, message);
  const receipt = receiptOf(organization, person, message);
  const flags =
    source === 'zulip'
      ? {
          read: receipt?.isRead ?? true,
          starred: receipt?.isStarred ?? false,
          mentioned: receipt?.isMentioned ?? false,
        }
      : {
          read:
            source === 'slack' ||
            person === found.sender ||
            !isBeyondPosition(organization, person, message),
          starred: source === 'mattermost' && found.starredBy.includes(person),
          mentioned: mentions(found, person),
        };
  return Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? flag : []));
}

/** Whether a message opens the file of the organization to its readers. */
export function opensFile(source: SourceName, { file }: ModelMessage): boolean {
  // Slack's archives have no files.
  return source !== 'slack' && file === 'linked';
}
