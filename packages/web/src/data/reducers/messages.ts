import { foldName } from '@parley/api/fold';

import { conversationOfMessage } from '../conversation.ts';
import { emojiKey } from '../emoji.ts';
import { followMove } from '../moves.ts';
import { streamIdOf } from '../narrow.ts';
import type { Narrow } from '../narrow.ts';
import type { Message, State } from '../state.ts';
import { mentionOf } from '../unread.ts';
import { changeIn, removeFrom } from './change.ts';
import type { AppliedEvent, Kept, Reducers } from './reducer.ts';
import { noteFirstMessage } from './streams.ts';

type Edit = Extract<AppliedEvent, { readonly type: 'update_message' }>;

function withFlag(flags: Message['flags'], flag: Message['flags'][number], isSet: boolean) {
  const others = flags.filter((each) => each !== flag);
  return isSet ? [...others, flag] : others;
}

function applyContent({ state, lists }: Kept, event: Edit): void {
  const { rendered_content, is_me_message, edit_timestamp, flags, message_id } = event;
  if (rendered_content === undefined) return;
  lists.store.update(message_id, (message) => ({
    ...message,
    content: rendered_content,
    is_me_message: is_me_message ?? message.is_me_message,
    flags,
    // A preview of a link that was completed is no edit.
    ...(event.orig_content !== undefined && { last_edit_timestamp: edit_timestamp }),
  }));
  lists.showNewText(message_id);
  const mention = mentionOf(flags);
  changeIn(state.unread, [message_id], (message) => ({ ...message, mention }));
}

/** Whether a move from or to these topics can change which messages a narrow has. */
function isMovedBetween(narrow: Narrow, streamId: number, topics: readonly string[]): boolean {
  const folded = new Set(topics.map(foldName));
  return (
    (streamIdOf(narrow) ?? streamId) === streamId &&
    narrow.some(
      ({ operator, operand }) =>
        operator === 'search' || (operator === 'topic' && folded.has(foldName(String(operand)))),
    )
  );
}

function applyMove(kept: Kept, event: Edit): void {
  const { state, lists, topics } = kept;
  const { subject, orig_subject = '', subject_links, stream_id, message_ids } = event;
  if (subject === undefined || stream_id === undefined) return;
  for (const id of message_ids)
    lists.store.update(id, (message) =>
      message.type === 'stream'
        ? { ...message, subject, subject_links: subject_links ?? [] }
        : message,
    );
  const conversation = { type: 'stream', streamId: stream_id, topic: subject } as const;
  changeIn(state.unread, message_ids, (message) => ({ ...message, conversation }));
  topics.reread([stream_id]);
  followMove(kept, {
    from: { ...conversation, topic: orig_subject },
    to: conversation,
    ids: message_ids,
    isOfTopic: event.propagate_mode === 'change_all',
  });
  lists.rejudge(message_ids, (narrow) =>
    isMovedBetween(narrow, stream_id, [orig_subject, subject]),
  );
}

/** Adds messages that are unread, as far as the person subscribes to their streams: others do not count. */
function addUnread(state: State, messages: readonly Message[]): void {
  const { subscriptions, unread } = state;
  const all = new Map(unread.peek());
  for (const message of messages) {
    const conversation = conversationOfMessage(message, state);
    if (conversation.type === 'private' || subscriptions.peek().has(conversation.streamId))
      all.set(message.id, { conversation, mention: mentionOf(message.flags) });
  }
  unread.value = all;
}

/** Messages that were marked as unread. Of those that the client does not hold the server says where they belong. */
async function markUnread({ state, lists }: Kept, ids: readonly number[]): Promise<void> {
  addUnread(
    state,
    ids.flatMap((id) => lists.store.find(id)?.peek() ?? []),
  );
  const unknown = ids.filter((id) => !lists.store.has(id));
  if (unknown.length > 0)
    addUnread(state, await lists.readUnread([], Math.min(...unknown), Math.max(...unknown)));
}

function hasFlagTerm(narrow: Narrow, flag: string): boolean {
  return narrow.some(({ operator, operand }) => operator === 'is' && operand === flag);
}

/** Reducers of what happens to messages. */
export const messageReducers = {
  message(kept, { message, flags, local_message_id }) {
    const { state, lists, topics, typing, notifier, outbox } = kept;
    const received: Message = { ...message, flags };
    const conversation = conversationOfMessage(received, state);
    lists.receive(received);
    outbox.receive(received.id, local_message_id);
    typing.receive('stop', conversation, received.sender_id);
    state.maxMessageId.value = Math.max(state.maxMessageId.peek(), received.id);
    if (conversation.type === 'stream') {
      topics.receive(conversation.streamId, conversation.topic);
      noteFirstMessage(state, conversation.streamId, received.id);
    } else {
      const { userIds } = conversation;
      const others = state.recentPrivate.peek().filter((ids) => ids.join() !== userIds.join());
      state.recentPrivate.value = [userIds, ...others];
    }
    if (!flags.includes('read')) addUnread(state, [received]);
    notifier.receive(received);
  },
  update_message(kept, event) {
    applyContent(kept, event);
    applyMove(kept, event);
  },
  delete_message({ state, lists, topics }, event) {
    const ids = [event.message_id];
    lists.remove(ids);
    removeFrom(state.unread, ids);
    if (event.message_type === 'stream') topics.reread([event.stream_id]);
  },
  update_message_flags(kept, { op, flag, messages, all }) {
    const { state, lists } = kept;
    const isSet = op === 'add';
    const change = (message: Message): Message => ({
      ...message,
      flags: withFlag(message.flags, flag, isSet),
    });
    if (all) lists.store.updateWhere(() => true, change);
    else for (const id of messages) lists.store.update(id, change);
    if (flag === 'read') {
      if (isSet) removeFrom(state.unread, all ? state.unread.peek().keys() : messages);
      // What the server does not say now comes with the next registration.
      else markUnread(kept, messages).catch(() => undefined);
    }
    if (flag === 'starred') lists.rejudge(messages, (narrow) => hasFlagTerm(narrow, flag));
  },
  reaction({ lists }, { op, message_id, emoji_name, emoji_code, reaction_type, user }) {
    const { user_id, email, full_name } = user;
    const reaction = {
      emoji_name,
      emoji_code,
      reaction_type,
      user: { id: user_id, email, full_name },
      user_id,
    };
    lists.store.update(message_id, (message) => {
      const others = message.reactions.filter(
        (each) => each.user_id !== user_id || emojiKey(each) !== emojiKey(reaction),
      );
      return { ...message, reactions: op === 'add' ? [...others, reaction] : others };
    });
  },
  submessage({ lists }, { message_id, submessage_id, sender_id, msg_type, content }) {
    lists.store.update(message_id, (message) => ({
      ...message,
      submessages: [
        ...message.submessages.filter(({ id }) => id !== submessage_id),
        { id: submessage_id, message_id, sender_id, msg_type, content },
      ],
    }));
  },
} satisfies Reducers;
