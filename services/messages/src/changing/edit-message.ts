import { badRequest, botTypes, foldName, limits } from '@parley/api';
import type { Caller } from '@parley/api';
import type { Client } from '@parley/database';
import type { SideEffect } from '@parley/event-log';
import {
  addLateReceipt,
  editMessage,
  findClaimableUploads,
  getEditedMessageFacts,
  listPropagated,
  lockForChange,
  moveMessages,
  renewImpliedFlags,
  replaceMessageUploads,
  searchWords,
} from '@parley/store';
import { noteAddedMentions } from '@parley/store/notifications';
import type { MessageFacts, NewTopic } from '@parley/store';

import type { MessagesContext } from '../context.ts';
import { attachmentUpdates } from '../files/attachment-events.ts';
import { checkEdit } from './check-edit.ts';
import type { CheckedEdit, EditRequest, PropagateMode } from './check-edit.ts';
import { composeEdit, storedContent } from './compose-edit.ts';
import type { ComposedEdit, NewText } from './compose-edit.ts';
import { editEvent, editHistoryAfter } from './edit-event.ts';
import type { EditDone } from './edit-event.ts';
import { lockActor } from './lock-actor.ts';
import type { Actor } from './lock-actor.ts';
import { getMessageHolders, messageEntry } from './message-entry.ts';
import type { MessageHolders } from './message-entry.ts';

type Entry = ReturnType<typeof messageEntry>;

/**
 * Edits a message, in one transaction with its log entry. All checks from before the locks are repeated under them.
 *
 * A concurrent send to the old topic is harmless: the event names the moved messages, and for everybody all others are in the old topic, as
 * if they had been sent after the move.
 *
 * @throws ApiError what `checkEdit` refuses; `Unable to render message`; a refusal to move too many messages; 503
 */
export async function editMessageFor(
  context: MessagesContext,
  caller: Caller,
  request: EditRequest,
): Promise<void> {
  const nowSecs = context.clock.nowMs() / 1000;
  const checked = await checkEdit(context.pool, caller, request, nowSecs);
  const composed = await composeEdit(context, checked);
  await context.eventLog.transaction(async (client) => {
    const editor = await lockActor(client, caller.userId);
    const purpose = composed.topic === undefined ? 'edit' : 'move';
    if (!(await lockForChange(client, checked.message, purpose)))
      throw badRequest('Invalid message(s)');
    const { message, notified } = await checkEdit(client, editor, request, nowSecs);
    const { text } = composed;
    // Clients read an event with a topic as a move (reference facts, events 11.2), so an unchanged topic beside a new text is omitted.
    const keepsTopic = text !== undefined && composed.topic?.topic === message.topic;
    const topic = keepsTopic ? undefined : composed.topic;
    const edit = { text, topic, message, notified, editor, nowSecs, request };
    const entries = await writeEdit(client, edit);
    return { result: undefined, append: { entries } };
  });
}

type EditToWrite = ComposedEdit & {
  /** Before the edit, locked. */
  readonly message: MessageFacts;
  readonly notified: CheckedEdit['notified'];
  readonly editor: Actor;
  readonly nowSecs: number;
  readonly request: EditRequest;
};

/** @returns the append for the log */
async function writeEdit(client: Client, edit: EditToWrite): Promise<Entry[]> {
  const { message, editor, text, topic, request } = edit;
  const { propagateMode } = request;
  // Other messages are locked before read state.
  const movedIds = await moveOthers(client, editor, message, topic, propagateMode);
  const holders = await updateHolders(client, message, text);
  const { editHistory, stream } = await getEditedMessageFacts(client, message.id);
  const done: EditDone = {
    before: message,
    stream,
    editor: { id: editor.userId, email: editor.email },
    editedAtSecs: Math.floor(edit.nowSecs),
    ...(text === undefined
      ? {}
      : {
          content: {
            content: text.content,
            renderedContent: text.rendered.html,
            isMeMessage: text.rendered.isMeMessage,
          },
        }),
    ...(topic === undefined ? {} : { topic: { ...topic, propagateMode, movedIds } }),
  };
  const uploads = await relinkUploads(client, message, holders, text);
  await editMessage(client, {
    messageId: message.id,
    editorId: editor.userId,
    editedAtSecs: done.editedAtSecs,
    editHistory: editHistoryAfter(editHistory, done),
    searchWords: searchWords(
      topic?.topic ?? message.topic,
      text?.rendered.html ?? message.renderedContent,
    ),
    ...(text === undefined ? {} : { content: storedContent(text, message, uploads.hasAttachment) }),
    ...(topic === undefined ? {} : { topic }),
  });
  return [
    ...uploads.entries,
    messageEntry(
      holders,
      {
        event: editEvent(done),
        withFlags: true,
        alsoSubscribers: stream?.sharesHistory ?? false,
      },
      movedNotices(edit, movedIds.length + 1),
    ),
  ];
}

function movedNotices(
  { message, topic, editor, notified }: EditToWrite,
  count: number,
): SideEffect[] {
  const { streamId, topic: oldTopic } = message;
  if (topic === undefined || streamId === null || notified.length === 0) return [];
  const { topic: newTopic } = topic;
  if (foldName(oldTopic) === foldName(newTopic)) return [];
  const effect = {
    kind: 'messages-moved-notice',
    target: streamId,
    actorId: editor.userId,
  } as const;
  return [{ ...effect, oldTopic, newTopic, count, notified }];
}

/**
 * Updates the flags of the message for its new text, and gives it to generic bots that the text mentions in a stream, as a send does.
 * Because the message is old, they hold it as read.
 *
 * @returns the new holders
 */
async function updateHolders(
  client: Client,
  message: MessageFacts,
  text: NewText | undefined,
): Promise<MessageHolders> {
  const holders = await getMessageHolders(client, message.id);
  if (text === undefined) return holders;
  const bots = text.mentionedUsers
    .filter((user) => user.botType === botTypes.generic && message.streamId !== null)
    .map((user) => user.id)
    .filter((id) => !holders.lateHolderIds.includes(id))
    .toSorted((a, b) => a - b);
  for (const botId of bots) await addLateReceipt(client, botId, message.id);
  const mentionedIds = text.mentionedUsers.map((user) => user.id);
  await noteAddedMentions(client, message.id, {
    userIds: [...mentionedIds, ...text.groupMentionedIds],
    wildcard: text.rendered.mentionsWildcard,
  });
  await renewImpliedFlags(client, message.id, mentionedIds);
  return bots.length === 0 ? holders : getMessageHolders(client, message.id);
}

/**
 * Updates the message's links to files for its new text.
 *
 * @returns whether it links to any, and the events for their owners
 */
async function relinkUploads(
  client: Client,
  message: MessageFacts,
  holders: MessageHolders,
  text: NewText | undefined,
): Promise<{ readonly hasAttachment: boolean; readonly entries: readonly Entry[] }> {
  if (text === undefined) return { hasAttachment: false, entries: [] };
  const claimable = await findClaimableUploads(
    client,
    message.senderId,
    text.rendered.attachmentPathIds,
    message.streamId === null
      ? { participantIds: holders.participantIds ?? [] }
      : { streamId: message.streamId },
  );
  const pathIds = claimable.map(({ pathId }) => pathId);
  const changed = await replaceMessageUploads(client, message.id, pathIds);
  return { hasAttachment: pathIds.length > 0, entries: await attachmentUpdates(client, changed) };
}

/** @returns the ids of the other messages that got the topic too, ascending */
async function moveOthers(
  client: Client,
  { userId }: Actor,
  message: MessageFacts,
  topic: NewTopic | undefined,
  mode: PropagateMode,
): Promise<number[]> {
  const { id, streamId, conversationId } = message;
  if (topic === undefined || mode === 'change_one' || streamId === null) return [];
  const from = { messageId: id, streamId, conversationId, topic: message.topic, mode, userId };
  const others = await listPropagated(client, from, limits.messagesMovedMax);
  const bytes = others.reduce((sum, other) => sum + other.bytes, 0);
  // The message itself is not in the list, hence one more.
  if (others.length === limits.messagesMovedMax || bytes > limits.movedBytesMax)
    throw badRequest('Too many messages to move at once');
  return moveMessages(client, {
    ...topic,
    messageIds: others.map((other) => other.id),
    searchWords,
  });
}
