import { checkEditingIsOn, checkMayEditMessage, getVisibleMessage } from '@parley/access';
import { badRequest } from '@parley/api';
import type { Role } from '@parley/api';
import type { Queryable } from '@parley/database';
import { getRealm } from '@parley/store';
import type { MessageFacts } from '@parley/store';

import { checkEditedContent, checkTopic } from '../sending/message-text.ts';

/** Which other messages of its topic a new topic is for (reference facts, messages 12). */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** An edit as a request asks for it. */
export type EditRequest = {
  readonly messageId: number;
  readonly content: string | undefined;
  readonly topic: string | undefined;
  readonly propagateMode: PropagateMode;
};

/** An edit that may be made, as it will be stored. */
export type CheckedEdit = {
  /** As it is before. */
  readonly message: MessageFacts;
  readonly content: string | undefined;
  readonly topic: string | undefined;
};

/**
 * Checks an edit. A topic for a private message is ignored, so that nothing but a topic is no edit at all.
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
    topic: topic === undefined ? undefined : checkTopic(topic),
    content: content === undefined ? undefined : checkEditedContent(content),
  };
}
