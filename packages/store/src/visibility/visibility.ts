/**
 * Who may see what, for what is judged in memory: live delivery and replay at the position of an entry, and streams that were read.
 * `visibility-sql.ts` has the same rules, under the same names, for statements; `tests/integration/visibility.property.test.ts`
 * compares the two.
 */
import { botTypes, roles } from '@parley/api';
import type { Role } from '@parley/api';

/** The account that sees something; it is active. */
export type Viewer = { readonly role: Role };

export type StreamPrivacy = {
  readonly inviteOnly: boolean;
  /** Absent in entries, which are judged where their stream is live. */
  readonly isDeactivated?: boolean;
};

/** A public stream is open to everybody but guests, without joining it. */
export function isOpenTo(viewer: Viewer, stream: StreamPrivacy): boolean {
  return !stream.inviteOnly && viewer.role !== roles.guest;
}

/** A live stream is read by its members, and by everybody to whom it is open (reference facts, streams 10.1). */
export function mayReadStream(viewer: Viewer, stream: StreamPrivacy, isMember: boolean): boolean {
  return stream.isDeactivated !== true && (isMember || isOpenTo(viewer, stream));
}

/** Who reads a stream sees what it is and who is in it; administrators see that of every live stream (reference facts, streams 10.1). */
export function maySeeStream(viewer: Viewer, stream: StreamPrivacy, isMember: boolean): boolean {
  return (
    mayReadStream(viewer, stream, isMember) ||
    (stream.isDeactivated !== true && viewer.role === roles.administrator)
  );
}

/**
 * Of a stream, live or not, administrators are told, everybody to whom it is open, and whoever is or was its member: they have it in a
 * list of register and hear what becomes of its name.
 *
 * @param wasMember whether he is or was its member
 */
export function getsStreamEvents(
  viewer: Viewer,
  stream: StreamPrivacy,
  wasMember: boolean,
): boolean {
  return viewer.role === roles.administrator || isOpenTo(viewer, stream) || wasMember;
}

/** Members of a public stream, and of a private one that says so, may read what was sent before they joined. */
export function sharesHistory(stream: {
  readonly inviteOnly: boolean;
  readonly historyPublicToSubscribers: boolean;
}): boolean {
  return !stream.inviteOnly || stream.historyPublicToSubscribers;
}

/** Outgoing-webhook and embedded bots get events and hold nothing (architecture, Read state). */
export function isReactingBot({ botType }: { readonly botType: number | null }): boolean {
  return botType === botTypes.outgoingWebhook || botType === botTypes.embedded;
}

/** A user with his memberships by position in the log. */
export type MembershipView = {
  readonly userId: number;
  isMember(streamId: number, position: number): boolean;
};

/** Who got a message when it was sent, or since. */
export type MessageAudience = {
  /** Of the message's own entry. */
  readonly position: number;
  readonly streamId?: number | undefined;
  /** Present for private messages. */
  readonly participantIds?: readonly number[] | undefined;
  readonly lateHolderIds: readonly number[];
  /** Outgoing-webhook and embedded bots among its recipients. */
  readonly reactingBotIds: readonly number[];
};

/**
 * A user holds a message when he was a member of its stream, or took part in its conversation, when it was sent, or got it late:
 * by starring it, by reacting to it, or as a bot that is named in it. He goes on holding it when he leaves. Outgoing-webhook and
 * embedded bots hold nothing.
 */
export function holdsMessage(message: MessageAudience, view: MembershipView): boolean {
  const { userId } = view;
  if (message.reactingBotIds.includes(userId)) return false;
  if (message.lateHolderIds.includes(userId)) return true;
  if (message.participantIds !== undefined) return message.participantIds.includes(userId);
  return message.streamId !== undefined && view.isMember(message.streamId, message.position);
}
