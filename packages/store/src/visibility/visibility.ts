/**
 * The rules of visibility for decisions in memory: live delivery and replay at the position of an entry, and streams that were read.
 * `visibility-sql.ts` has the same rules, under the same names, for statements; `tests/integration/visibility.property.test.ts` compares
 * the two.
 */
import { botTypes, roles } from '@parley/api';
import type { Role } from '@parley/api';

/** The account whose access is decided; it is active. */
export type Viewer = { readonly role: Role };

export type StreamPrivacy = {
  readonly inviteOnly: boolean;
  /** Absent in entries, which are evaluated while their stream is live. */
  readonly isDeactivated?: boolean;
};

/** A public stream is open to everybody except guests, without joining it. */
export function isOpenTo(viewer: Viewer, stream: StreamPrivacy): boolean {
  return !stream.inviteOnly && viewer.role !== roles.guest;
}

/** Members, and everybody to whom it is open, may read a live stream (reference facts, streams 10.1). */
export function mayReadStream(viewer: Viewer, stream: StreamPrivacy, isMember: boolean): boolean {
  return stream.isDeactivated !== true && (isMember || isOpenTo(viewer, stream));
}

/** A reader of a stream sees its properties and members; administrators see those of every live stream (reference facts, streams 10.1). */
export function maySeeStream(viewer: Viewer, stream: StreamPrivacy, isMember: boolean): boolean {
  return (
    mayReadStream(viewer, stream, isMember) ||
    (stream.isDeactivated !== true && viewer.role === roles.administrator)
  );
}

/**
 * A stream's events, live or not, go to administrators, to everybody to whom it is open, and to everybody who is or was its member:
 * register lists it for them, and they learn of changes of its name.
 *
 * @param wasMember whether the user is or was its member
 */
export function getsStreamEvents(
  viewer: Viewer,
  stream: StreamPrivacy,
  wasMember: boolean,
): boolean {
  return viewer.role === roles.administrator || isOpenTo(viewer, stream) || wasMember;
}

/** Members of a public stream, and of a private one with shared history, may read messages from before they joined. */
export function sharesHistory(stream: {
  readonly inviteOnly: boolean;
  readonly historyPublicToSubscribers: boolean;
}): boolean {
  return !stream.inviteOnly || stream.historyPublicToSubscribers;
}

/** Outgoing-webhook and embedded bots get events and never hold messages (architecture, Read state). */
export function isReactingBot({ botType }: { readonly botType: number | null }): boolean {
  return botType === botTypes.outgoingWebhook || botType === botTypes.embedded;
}

/** A user with memberships by position in the log. */
export type MembershipView = {
  readonly userId: number;
  isMember(streamId: number, position: number): boolean;
};

/** Those who got a message when it was sent, or later. */
export type MessageAudience = {
  /** The position of the message's own entry. */
  readonly position: number;
  readonly streamId?: number | undefined;
  /** Present for private messages. */
  readonly participantIds?: readonly number[] | undefined;
  readonly lateHolderIds: readonly number[];
  /** Outgoing-webhook and embedded bots among its recipients. */
  readonly reactingBotIds: readonly number[];
};

/**
 * A user holds a message if the user was a member of its stream or took part in its conversation when it was sent, or got it late: by
 * starring it, by reacting to it, or as a bot that is named in it. The user still holds it after leaving. Outgoing-webhook and embedded
 * bots never hold messages.
 */
export function holdsMessage(message: MessageAudience, view: MembershipView): boolean {
  const { userId } = view;
  if (message.reactingBotIds.includes(userId)) return false;
  if (message.lateHolderIds.includes(userId)) return true;
  if (message.participantIds !== undefined) return message.participantIds.includes(userId);
  return message.streamId !== undefined && view.isMember(message.streamId, message.position);
}
