/** Who may change and delete messages, and until when (reference facts, messages 11 to 13 and 17). */
import { badRequest } from '@parley/api';
import type { Role } from '@parley/api';
import type { Queryable } from '@parley/database';
import { findMessageHistory } from '../index.ts';
import type { MessageFacts, MessageHistory } from '../index.ts';
import type { RealmSettings } from '@parley/api/organization';

import { checkMayChange } from './message-access.ts';

type Actor = { readonly userId: number; readonly role: Role };

/** The topic of messages that were sent without one: anybody may give them a real one. */
const noTopic = '(no topic)';

/** Edits may be this late, so that nobody loses a text typed while the time ran out. */
const editGraceSecs = 20;

/** How long members may give other people's messages another topic. */
const othersTopicLimitSecs = 86_400;

/**
 * Refuses every edit if the organization allows none, including edits by administrators and of topics.
 *
 * @throws ApiError `Your organization has turned off message editing`
 */
export function checkEditingIsOn(settings: RealmSettings): void {
  if (!settings.allow_message_editing)
    throw badRequest('Your organization has turned off message editing');
}

/**
 * Decides whether an account may edit a message that it can see: its own messages, and the topic of other messages.
 *
 * @param edit.content whether the text is to change
 * @param nowSecs Unix time
 * @throws ApiError `Invalid message(s)`, `You don't have permission to edit this message`, `The time limit for editing this message has passed`
 */
export function checkMayEditMessage(
  actor: Actor,
  message: MessageFacts,
  edit: { readonly content: boolean },
  settings: RealmSettings,
  nowSecs: number,
): void {
  checkMayChange(message);
  const isSender = message.senderId === actor.userId;
  const isAdministrator = actor.role === 'administrator';
  const isWithoutTopic = message.topic === noTopic;
  const mayEditTopic =
    message.streamId !== null &&
    (isWithoutTopic || isAdministrator || settings.allow_community_topic_editing);
  if (!isSender && (edit.content || !mayEditTopic))
    throw badRequest("You don't have permission to edit this message");
  const ageSecs = nowSecs - message.sentAtSecs;
  const contentLimitSecs = settings.message_content_edit_limit_seconds;
  const isLateForContent =
    edit.content && contentLimitSecs > 0 && ageSecs > contentLimitSecs + editGraceSecs;
  const isLateForTopic =
    !isSender &&
    !isAdministrator &&
    !isWithoutTopic &&
    ageSecs > othersTopicLimitSecs + editGraceSecs;
  if (isLateForContent || isLateForTopic)
    throw badRequest('The time limit for editing this message has passed');
}

/**
 * Decides whether an account may delete a message that it can see: administrators may delete any message, others their own, if and while
 * the organization allows it.
 *
 * @param nowSecs Unix time
 * @throws ApiError `Invalid message(s)`, `You don't have permission to delete this message`, `The time limit for deleting this message has passed`
 */
export function checkMayDeleteMessage(
  actor: Actor,
  message: MessageFacts,
  settings: RealmSettings,
  nowSecs: number,
): void {
  checkMayChange(message);
  if (actor.role === 'administrator') return;
  if (message.senderId !== actor.userId || !settings.allow_message_deleting)
    throw badRequest("You don't have permission to delete this message");
  const limitSecs = settings.message_content_delete_limit_seconds;
  if (limitSecs > 0 && nowSecs - message.sentAtSecs > limitSecs)
    throw badRequest('The time limit for deleting this message has passed');
}

/**
 * Refuses the edit history if the organization does not show it.
 *
 * @throws ApiError `Message edit history is disabled in this organization`
 */
export function checkMayReadEditHistory(settings: RealmSettings): void {
  if (!settings.allow_edit_history)
    throw badRequest('Message edit history is disabled in this organization');
}

/**
 * Finds the edit history of a message that the user may see.
 *
 * @throws ApiError `Invalid message(s)` if there is none, or the user may not see it
 */
export async function getVisibleHistory(
  db: Queryable,
  userId: number,
  messageId: number,
): Promise<MessageHistory> {
  const history = await findMessageHistory(db, userId, messageId);
  if (history === undefined) throw badRequest('Invalid message(s)');
  return history;
}
