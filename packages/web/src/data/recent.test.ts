import { expect, test } from 'vitest';

import { makeMessage, makeState, selfId } from '../../tests/make-state.ts';
import { RecordedRequests } from '../../tests/recorded-requests.ts';
import { MessageLists } from './message-lists.ts';
import { recentConversations } from './recent.ts';

const display_recipient = [{ id: selfId }, { id: 8 }];
const withBob = { type: 'private', userIds: [8] } as const;

test('conversations come by their last message, with who took part and what is unread', async () => {
  const requests = new RecordedRequests();
  const messages = [
    makeMessage(1, { sender_id: 2 }),
    makeMessage(2, { type: 'private', sender_id: 8, display_recipient } as object),
    makeMessage(3, { sender_id: 3 }),
    makeMessage(4, { sender_id: 2 }),
  ];
  requests.answer = () =>
    Response.json({
      result: 'success',
      msg: '',
      messages,
      anchor: 4,
      found_oldest: true,
      found_newest: true,
    });
  const state = makeState({
    unread: new Map([[2, { conversation: withBob, mention: 'self' }]]),
  });
  const lists = new MessageLists(requests.client, state);
  await lists.loadNewest();
  await lists.loadNewest();
  expect(requests.seen).toHaveLength(1);
  const inTopic = { type: 'stream', streamId: 1, topic: 'hello' };
  expect(recentConversations(lists, state)).toEqual([
    {
      conversation: inTopic,
      lastTimestamp: 4,
      senderIds: [2, 3],
      unreadCount: 0,
      mentioned: false,
    },
    {
      conversation: withBob,
      lastTimestamp: 2,
      senderIds: [8],
      unreadCount: 1,
      mentioned: true,
    },
  ]);
  lists.receive(makeMessage(5, { type: 'private', display_recipient } as object));
  lists.remove([3]);
  expect(recentConversations(lists, state)).toMatchObject([
    { conversation: withBob, senderIds: [1, 8] },
    { conversation: inTopic, senderIds: [2] },
  ]);
});
