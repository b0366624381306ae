import { conversationOfMessage } from '../conversation.ts';
import type { Message } from '../state.ts';
import type { Reducers } from './reducer.ts';

/** Reducers of what happens to messages. */
export const messageReducers = {
  message(app, { message, flags, local_message_id }) {
    const { state, lists } = app;
    const received = { ...message, flags } as Message;
    lists.receive(received);
    app.recent.receive(received);
    app.outbox.receive(received.id, local_message_id);
    if (received.type === 'stream')
      app.topics.receive(received.stream_id, received.subject, received.id);
    const conversation = conversationOfMessage(received, state.self.peek().user_id);
    if (conversation.type === 'private') {
      const { userIds } = conversation;
      const others = state.recentPrivate.value.filter((ids) => ids.join() !== userIds.join());
      state.recentPrivate.value = [userIds, ...others];
    }
    if (!flags.includes('read'))
      state.unread.add(
        conversation,
        received.id,
        flags.includes('mentioned') || flags.includes('wildcard_mentioned'),
      );
  },
  update_message_flags({ state, lists }, { op, flag, messages, all }) {
    if (flag === 'read' && op === 'add') {
      if (all) state.unread.clear();
      else state.unread.remove(messages);
    }
    for (const id of messages)
      lists.store.update(id, (message) => ({
        ...message,
        flags:
          op === 'add'
            ? [...(message.flags ?? []).filter((each) => each !== flag), flag]
            : (message.flags ?? []).filter((each) => each !== flag),
      }));
  },
} satisfies Reducers;
