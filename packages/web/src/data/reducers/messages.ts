import { conversationOfMessage } from '../conversation.ts';
import type { Narrow } from '../narrow.ts';
import type { Message } from '../state.ts';
import type { AppliedEvent, Kept, Reducers } from './reducer.ts';
import { noteFirstMessage } from './streams.ts';

type Edit = Extract<AppliedEvent, { readonly type: 'update_message' }>;

function isMention(flags: readonly string[]): boolean {
  return flags.includes('mentioned') || flags.includes('wildcard_mentioned');
}

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
  state.unread.mention(message_id, isMention(flags));
}

/** Whether a move from or to these topics can change which messages a narrow has. */
function isMovedBetween(narrow: Narrow, streamId: number, topics: readonly string[]): boolean {
  const inStream = narrow.every(
    ({ operator, operand }) =>
      operator !== 'stream' || typeof operand !== 'number' || operand === streamId,
  );
  const folded = new Set(topics.map((topic) => topic.toLowerCase()));
  return (
    inStream &&
    narrow.some(
      ({ operator, operand }) =>
        operator === 'search' ||
        (operator === 'topic' && folded.has(String(operand).toLowerCase())),
    )
  );
}

function applyMove({ state, lists, recent, topics }: Kept, event: Edit): void {
  const { subject, orig_subject = '', subject_links, stream_id, message_ids } = event;
  if (subject === undefined || stream_id === undefined) return;
  for (const id of message_ids)
    lists.store.update(id, (message) =>
      message.type === 'stream'
        ? { ...message, subject, subject_links: subject_links ?? [] }
        : message,
    );
  state.unread.move({ type: 'stream', streamId: stream_id, topic: subject }, message_ids);
  recent.move(message_ids, subject);
  topics.reread([stream_id]);
  lists.rejudge(message_ids, (narrow) =>
    isMovedBetween(narrow, stream_id, [orig_subject, subject]),
  );
}

/** Messages that another device marked as unread; only of those that the client holds it knows the conversation. */
function markUnread({ state, lists }: Kept, ids: readonly number[]): void {
  for (const id of ids) {
    const message = lists.store.find(id)?.peek();
    if (message !== undefined)
      state.unread.add(
        conversationOfMessage(message, state.self.peek().user_id),
        id,
        isMention(message.flags),
      );
  }
}

function hasFlagTerm(narrow: Narrow, flag: string): boolean {
  return narrow.some(({ operator, operand }) => operator === 'is' && operand === flag);
}

/** Reducers of what happens to messages. */
export const messageReducers = {
  message(kept, { message, flags, local_message_id }) {
    const { state, lists, recent, topics, typing, telling, outbox } = kept;
    const received: Message = { ...message, flags };
    const conversation = conversationOfMessage(received, state.self.peek().user_id);
    lists.receive(received);
    recent.receive(received);
    outbox.receive(received.id, local_message_id);
    typing.receive('stop', conversation, received.sender_id);
    state.maxMessageId.value = Math.max(state.maxMessageId.peek(), received.id);
    if (conversation.type === 'stream') {
      topics.receive(conversation.streamId, conversation.topic, received.id);
      noteFirstMessage(state, conversation.streamId, received.id);
    } else {
      const { userIds } = conversation;
      const others = state.recentPrivate.peek().filter((ids) => ids.join() !== userIds.join());
      state.recentPrivate.value = [userIds, ...others];
    }
    if (!flags.includes('read')) state.unread.add(conversation, received.id, isMention(flags));
    telling.receive(received);
  },
  update_message(kept, event) {
    applyContent(kept, event);
    applyMove(kept, event);
  },
  delete_message({ state, lists, recent, topics }, event) {
    const ids = [event.message_id];
    lists.remove(ids);
    recent.remove(ids);
    state.unread.remove(ids);
    state.starred.value = state.starred.peek().difference(new Set(ids));
    if (event.message_type === 'stream') topics.reread([event.stream_id]);
  },
  update_message_flags(kept, { op, flag, messages, all }) {
    const { state, lists } = kept;
    const isSet = op === 'add';
    const ids = all ? lists.store.ids() : messages;
    for (const id of ids)
      lists.store.update(id, (message) => ({
        ...message,
        flags: withFlag(message.flags, flag, isSet),
      }));
    if (flag === 'read') {
      if (isSet && all) state.unread.clear();
      else if (isSet) state.unread.remove(messages);
      else markUnread(kept, messages);
    }
    if (flag === 'starred') {
      const changed = new Set(messages);
      const starred = state.starred.peek();
      state.starred.value = isSet ? starred.union(changed) : starred.difference(changed);
      lists.rejudge(messages, (narrow) => hasFlagTerm(narrow, flag));
    }
  },
  reaction({ lists }, { op, message_id, emoji_name, emoji_code, reaction_type, user }) {
    lists.store.update(message_id, (message) => {
      const others = message.reactions.filter(
        (each) =>
          each.user_id !== user.user_id ||
          each.emoji_code !== emoji_code ||
          each.reaction_type !== reaction_type,
      );
      const { user_id, email, full_name } = user;
      const added = {
        emoji_name,
        emoji_code,
        reaction_type,
        user: { id: user_id, email, full_name },
        user_id,
      };
      return { ...message, reactions: op === 'add' ? [...others, added] : others };
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
