import { checkEditingIsOn, checkMayEditMessage, getVisibleMessage } from '@parley/store/access';
import { badRequest } from '@parley/api';
import type { Role } from '@parley/api';
import type { Queryable } from '@parley/database';
import { getRealm } from '@parley/store';
import type { MessageFacts } from '@parley/store';

import { checkEditedContent, checkTopic } from '../sending/message-text.ts';

/** Which other messages of the topic get the new topic too (reference facts, messages 12). */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** An edit as requested. */
export type EditRequest = {
  readonly messageId: number;
  readonly content: string | undefined;
  readonly topic: string | undefined;
  readonly propagateMode: PropagateMode;
  /** Which topics get a notice of a move, if the organization has such notices. */
  readonly notified: readonly ('old' | 'new')[];
};

/** A permitted edit, in the form in which it is stored. */
export type CheckedEdit = {
  /** Before the edit. */
  readonly message: MessageFacts;
  readonly content: string | undefined;
  readonly topic: string | undefined;
  /** As the request, without those that the organization does not have. */
  readonly notified: EditRequest['notified'];
};

/**
 * Checks an edit. A topic for a private message is ignored, so a request with only a topic is no edit.
 *
 * @param nowSecs Unix time
 * @throws ApiError the first refusal in the documented order (reference facts, messages 12)
 */
export async function checkEdit(
  db: Queryable,
  actor: { readonly userId: number; readonly role: Role },
  request: EditRequest,
  nowSecs: number,
): Promise<CheckedEdit> {
  const { settings } = await getRealm(db);
  checkEditingIsOn(settings);
  const message = await getVisibleMessage(db, actor.userId, request.messageId);
  const { content } = request;
  const topic = message.streamId === null ? undefined : request.topic;
  checkMayEditMessage(actor, message, { content: content !== undefined }, settings, nowSecs);
  if (content === undefined && topic === undefined) throw badRequest('Nothing to change');
  return {
    message,
    notified: settings.send_move_notices ? request.notified : [],
    topic: topic === undefined ? undefined : checkTopic(topic),
    content: content === undefined ? undefined : checkEditedContent(content),
  };
}
